package redact

// shapes are the tokens that are known without being told, each by what its
// service documents, or shows, of their form. A token without a prefix of its
// own (an AWS secret key, a password) is known by its value alone.
var shapes = []shape{
	// Blaise: of runners, of users, to sign in with, and the leases of runs.
	{prefixes: []string{"blr_", "blu_", "blc_", "bll_"}, letters: urlSafe, least: 43, most: 64},
	// GitHub: docs.github.com, "About authentication to GitHub", token formats.
	{prefixes: []string{"ghp_", "gho_", "ghu_", "ghs_", "ghr_"}, letters: words, least: 36, most: 255},
	{prefixes: []string{"github_pat_"}, letters: words, least: 40, most: 255},
	// GitLab: docs.gitlab.com, "Token overview", token prefixes.
	{prefixes: []string{
		"glpat-", "gldt-", "glrt-", "glrtr-", "glcbt-", "glptt-", "glft-", "glsoat-", "glimt-", "glagent-", "gloas-", "glwt-",
	}, letters: dotted, least: 20, most: 512},
	// AWS: IAM identifiers (unique id prefixes); session tokens of STS.
	{prefixes: []string{"AKIA", "ASIA", "ABIA", "ACCA"}, letters: uppers, least: 16, most: 16},
	{prefixes: []string{"IQoJb3JpZ2lu", "FwoGZXIvYXdz", "FQoGZXIvYXdz"}, letters: base64s, least: 100, most: 4096},
	// Google: API keys, access and refresh tokens, client secrets.
	{prefixes: []string{"AIza"}, letters: urlSafe, least: 35, most: 35},
	{prefixes: []string{"ya29."}, letters: urlSafe, least: 20, most: 2048},
	{prefixes: []string{"GOCSPX-"}, letters: urlSafe, least: 24, most: 64},
	// Slack: api.slack.com, "Token types"; incoming webhooks.
	{prefixes: []string{
		"xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxo-", "xoxc-", "xoxd-", "xoxe-", "xoxe.xoxb-", "xoxe.xoxp-", "xapp-",
	}, letters: lettersOf("A-Z", "a-z", "0-9", "-%"), least: 16, most: 512},
	{prefixes: []string{"hooks.slack.com/services/"}, letters: lettersOf("A-Z", "a-z", "0-9", "/"), least: 30, most: 128},
	// Models: Anthropic, OpenAI and those who took over its form, OpenRouter,
	// Groq, xAI, Perplexity, Replicate, Hugging Face.
	{prefixes: []string{"sk-ant-"}, letters: urlSafe, least: 32, most: 512},
	{prefixes: []string{"sk-proj-", "sk-svcacct-", "sk-admin-", "sk-or-v1-"}, letters: urlSafe, least: 32, most: 512},
	{prefixes: followed("sk-", alnums), letters: alnums, least: 31, most: 255},
	{prefixes: []string{"gsk_"}, letters: alnums, least: 40, most: 128},
	{prefixes: []string{"xai-"}, letters: alnums, least: 60, most: 255},
	{prefixes: []string{"pplx-"}, letters: alnums, least: 40, most: 128},
	{prefixes: followed("r8_", alnums), letters: alnums, least: 35, most: 64},
	{prefixes: followed("hf_", alnums), letters: alnums, least: 30, most: 64},
	// Packages: npm, PyPI (a macaroon for pypi.org or test.pypi.org), RubyGems,
	// Docker Hub.
	{prefixes: []string{"npm_"}, letters: alnums, least: 36, most: 128},
	{prefixes: []string{"pypi-"}, letters: urlSafe, least: 50, most: 1024, check: holds("AgE")},
	{prefixes: []string{"rubygems_"}, letters: hexes, least: 48, most: 48},
	{prefixes: []string{"dckr_pat_", "dckr_oat_"}, letters: urlSafe, least: 20, most: 64},
	// Payment: Stripe's secret and restricted keys; Shopify.
	{prefixes: []string{"sk_live_", "sk_test_", "rk_live_", "rk_test_"}, letters: alnums, least: 24, most: 255},
	{prefixes: []string{"shpat_", "shpca_", "shppa_", "shpss_"}, letters: lettersOf("0-9", "a-f", "A-F"), least: 32, most: 32},
	// Webhooks: standardwebhooks.com, as Blaise and others have them; Stripe.
	{prefixes: []string{"whsec_"}, letters: base64s, least: 24, most: 255},
	// Mail: SendGrid (SG.ID.SECRET).
	{prefixes: followed("SG.", urlSafe), letters: dotted, least: 60, most: 80},
	// Machines and secrets: DigitalOcean, Databricks, Vault, Tailscale, Fly,
	// Doppler, age, Azure storage.
	{prefixes: []string{"dop_v1_", "doo_v1_", "dor_v1_"}, letters: hexes, least: 64, most: 64},
	{prefixes: []string{"dapi"}, letters: lettersOf("0-9", "a-f", "-"), least: 32, most: 36},
	{prefixes: []string{"hvs.", "hvb.", "hvr."}, letters: urlSafe, least: 24, most: 512},
	{prefixes: []string{"tskey-"}, letters: urlSafe, least: 20, most: 128},
	{prefixes: []string{"fm1r_", "fm2_", "fo1_"}, letters: lettersOf("A-Z", "a-z", "0-9", "+/=_-,"), least: 40, most: 4096},
	{prefixes: []string{"dp.pt.", "dp.st.", "dp.ct.", "dp.sa."}, letters: dotted, least: 40, most: 128},
	{prefixes: []string{"AGE-SECRET-KEY-1"}, letters: uppers, least: 58, most: 58},
	{prefixes: []string{"AccountKey="}, letters: base64s, least: 86, most: 88},
	// Work: Linear, Notion, Atlassian, Grafana, Sentry, New Relic, Postman,
	// PlanetScale, Supabase.
	{prefixes: []string{"lin_api_", "lin_oauth_"}, letters: alnums, least: 32, most: 128},
	{prefixes: []string{"ntn_"}, letters: alnums, least: 40, most: 64},
	{prefixes: []string{"ATATT3"}, letters: lettersOf("A-Z", "a-z", "0-9", "_=-"), least: 100, most: 512},
	{prefixes: []string{"glsa_", "glc_"}, letters: lettersOf("A-Z", "a-z", "0-9", "_+/="), least: 32, most: 512},
	{prefixes: []string{"sntrys_", "sntryu_"}, letters: lettersOf("A-Z", "a-z", "0-9", "+/=_-"), least: 40, most: 512},
	{prefixes: []string{"NRAK-"}, letters: uppers, least: 27, most: 27},
	{prefixes: []string{"PMAK-"}, letters: lettersOf("0-9", "a-f", "-"), least: 59, most: 59},
	{prefixes: []string{"pscale_tkn_", "pscale_pw_", "pscale_oauth_"}, letters: dotted, least: 32, most: 128},
	{prefixes: []string{"sbp_"}, letters: hexes, least: 40, most: 40},
	// JSON web tokens (RFC 7519): the first part is {" and the name of a header.
	{prefixes: jwtPrefixes(), letters: dotted, least: 40, most: 8192, check: jwt},
	// Private keys (RFC 7468, and those of PGP and OpenSSH).
	{prefixes: []string{"-----BEGIN "}, letters: armour, least: 40, most: 16384, check: pem},
}

// followed are the prefixes of a short one with each letter of the body after
// it.
func followed(prefix string, set *letters) []string {
	var all []string
	for c, in := range set {
		if in {
			all = append(all, prefix+string(rune(c)))
		}
	}
	return all
}

// jwtPrefixes are what base64 makes of {"a up to {"z.
func jwtPrefixes() []string {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	var all []string
	for c := 'a'; c <= 'z'; c++ {
		all = append(all, "eyJ"+alphabet[c&0x3f:c&0x3f+1])
	}
	return all
}
