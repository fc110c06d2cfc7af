package acp

// geminiRetention stands with the quirk and with the preset: what to do about it
// is the user's.
const geminiRetention = "at its start it deletes conversations that were loaded before, unless " +
	`.gemini/settings.json in its home says {"general": {"sessionRetention": {"enabled": false}}}`

// Quirks are the faults that are known, by agent and version. They were
// measured against a fake model with the versions that docs/quirks.md names, or
// taken from public reports where it says so; `runner probe` corrects them for
// a machine. A range is open at the end until a version without the fault was
// seen. It is read-only.
var Quirks = []Quirk{
	{Agent: "gemini-cli", Fault: LoadAfterResponse, Shows: "1 update before the answer, 8 after it"},
	{Agent: "gemini-cli", Fault: LoadMinAge,
		Shows: "loads in the minute of session/new: 0 of 6 worked, and the session was destroyed"},
	{Agent: "gemini-cli", Fault: DeletesLoaded, Shows: geminiRetention},
	{Agent: "gemini-cli", Fault: IgnoresTERM, Shows: "alive 8 s after SIGTERM"},

	{Agent: "qwen-code", Before: "0.24", Fault: UnknownLoads,
		Shows: "any id loads, with an empty conversation"},
	{Agent: "qwen-code", Before: "0.24", Fault: ResumeBroken,
		Shows: "advertises session/resume and answers it with an error"},

	{Agent: "@zed-industries/claude-agent-acp", Fault: ShiftedByCancel,
		Shows: "after a cancel the next prompt ends in 2 ms with no output, which comes a turn later"},
	{Agent: "@zed-industries/claude-agent-acp", Fault: CancelReasonLies,
		Shows: "end_turn when cancelled before the first byte or with a permission open"},
	{Agent: "@zed-industries/claude-agent-acp", Fault: IgnoresEOF, Shows: "alive 8 s after the end of stdin"},

	{Agent: "codex-acp", Before: "1", Fault: IgnoresEOF, Shows: "alive 8 s after the end of stdin"},
	{Agent: "@agentclientprotocol/codex-acp", Fault: IgnoresEOF,
		Shows: "7 s from the end of stdin to its exit"},

	{Agent: "cline", Fault: IgnoresTERM, Shows: "alive 8 s after SIGTERM"},

	{Agent: "pi-acp", Fault: CancelReasonLies, Shows: "end_turn when cancelled while a tool runs"},

	{Agent: "Copilot", Before: "1.0.102", Fault: CancelReasonLies,
		Shows: "end_turn after a cancel (github/copilot-cli #4561)"},
	{Agent: "Copilot", Fault: MCPStdioIgnored, Shows: "stdio servers are taken and not started"},

	{Agent: "kimi-cli", Fault: NoReplay, Shows: "session/load answers null and plays nothing back"},
	{Agent: "Kimi CLI", Fault: NoReplay, Shows: "session/load answers null and plays nothing back"},

	{Agent: "kiro-cli", Fault: BrokenAfterCrash,
		Shows: "session is active in another process, for ever, after a SIGKILL"},

	{Agent: "hermes", Fault: UnknownLoads, Shows: "any id loads; the next prompt is refused"},

	{Agent: "grok", Before: "0.2", Fault: NoCancel, Shows: "session/cancel is answered with -32601"},
}
