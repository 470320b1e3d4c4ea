// Rule 30: 60 names and 20 values of real secrets, none passes; 40 harmless ones all pass.
#include "test.h"

#include <stdio.h>
#include <string.h>

#include "env/env.h"

static const char *const secret_names[] = {
	"GH_TOKEN",
	"GITHUB_TOKEN",
	"GITLAB_TOKEN",
	"CI_JOB_TOKEN",
	"NPM_TOKEN",
	"NODE_AUTH_TOKEN",
	"PYPI_TOKEN",
	"TWINE_PASSWORD",
	"CARGO_REGISTRY_TOKEN",
	"AWS_ACCESS_KEY_ID",
	"AWS_SECRET_ACCESS_KEY",
	"AWS_SESSION_TOKEN",
	"AZURE_CLIENT_SECRET",
	"AZURE_TENANT_ID",
	"GOOGLE_APPLICATION_CREDENTIALS",
	"GOOGLE_API_KEY",
	"CLOUDSDK_AUTH_ACCESS_TOKEN",
	"ANTHROPIC_API_KEY",
	"OPENAI_API_KEY",
	"OPENAI_ORG_ID",
	"GEMINI_API_KEY",
	"MISTRAL_API_KEY",
	"HF_TOKEN",
	"HUGGING_FACE_HUB_TOKEN",
	"REPLICATE_API_TOKEN",
	"DATABASE_URL",
	"PGPASSWORD",
	"MYSQL_PWD",
	"REDIS_URL",
	"MONGODB_URI",
	"SLACK_BOT_TOKEN",
	"SLACK_WEBHOOK_URL",
	"DISCORD_TOKEN",
	"TELEGRAM_BOT_TOKEN",
	"STRIPE_SECRET_KEY",
	"STRIPE_API_KEY",
	"TWILIO_AUTH_TOKEN",
	"SENDGRID_API_KEY",
	"MAILGUN_API_KEY",
	"SENTRY_DSN",
	"SENTRY_AUTH_TOKEN",
	"DATADOG_API_KEY",
	"NEW_RELIC_LICENSE_KEY",
	"DOCKER_PASSWORD",
	"DOCKER_AUTH_CONFIG",
	"KUBECONFIG",
	"VAULT_TOKEN",
	"VAULT_ADDR",
	"CONSUL_HTTP_TOKEN",
	"TF_VAR_db_PASSWORD",
	"DIGITALOCEAN_ACCESS_TOKEN",
	"CLOUDFLARE_API_TOKEN",
	"HEROKU_API_KEY",
	"FLY_API_TOKEN",
	"VERCEL_TOKEN",
	"NETLIFY_AUTH_TOKEN",
	"SSH_PRIVATE_KEY",
	"GPG_PASSPHRASE",
	"SIGNING_KEY_FILE",
	"JWT_SECRET",
	"SESSION_SECRET",
	"COOKIE_SECRET",
	"BASIC_AUTH",
	"SMTP_PASS",
	"db_password",
	"my_token",
	"api_key",
	"npm_config__auth",
	"npm_config__password",
	"npm_config_//registry.example.org/:_authToken",
	"BW_SESSION",
	"OP_SESSION_me",
	"TF_VAR_db_pw",
	"AUTH",
	"CREDS",
	"KEY",
	"PW",
};

static const char *const secret_values[] = {
	"ghp_0123456789abcdefABCDEF0123456789abcd",
	"github_pat_11ABCDEFG0123456789_abcdefghij",
	"glpat-0123456789abcdefghij",
	"sk-ant-api03-0123456789abcdef",
	"sk-proj-0123456789abcdef",
	"sk_live_0123456789abcdef",
	"xoxb-1234567890-abcdefghij",
	"AKIAIOSFODNN7EXAMPLE",
	"AIzaSyA0123456789abcdefghijklmnopqrstuv",
	"ya29.a0ARrdaM0123456789",
	"npm_0123456789abcdefghij",
	"pypi-AgEIcHlwaS5vcmc0123456789",
	"hf_0123456789abcdefghij",
	"dop_v1_0123456789abcdef",
	"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc",
	"-----BEGIN OPENSSH PRIVATE KEY-----",
	"postgres://user:hunter2@db.example.org/x",
	"https://me:secret@git.example.org/",
	"wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY12",
	"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
	"hvs.CAESIJ0123456789abcdefgh",
	"jdbc:x://db/x?user=u&password=S",
	"Server=x;Database=y;User=z;Password=S;",
	"Driver=x;PWD=S",
	"DefaultEndpointsProtocol=https;AccountName=n;AccountKey=S",
	"Authorization: bearer S",
	"AUTHORIZATION: basic dTpw",
	"{\"user\":\"u\",\"token\":\"S\"}",
	"-Xmx1g -Dpassword=S",
	"-Psigning.password=S",
	"-Djavax.net.ssl.keyStorePassword=S",
	"https://hooks.slack.com/services/T0/B0/S",
	"https://discord.com/api/webhooks/1/S",
	"http://a.example.org http://u:p@b.example.org",
	"https://0123456789abcdef0123456789@git.example.org/",
};

static const char *const harmless[][2] = {
	{ "PATH", "/usr/local/bin:/usr/bin:/bin:/home/user/.local/bin" },
	{ "HOME", "/home/user" },
	{ "LANG", "en_US.UTF-8" },
	{ "LC_ALL", "C" },
	{ "TERM", "xterm-256color" },
	{ "COLORTERM", "truecolor" },
	{ "EDITOR", "vim" },
	{ "PAGER", "less -R" },
	{ "LESS", "-FRX" },
	{ "SHLVL", "2" },
	{ "PWD", "/home/user/src/project" },
	{ "OLDPWD", "/tmp" },
	{ "NODE_ENV", "test" },
	{ "NODE_OPTIONS", "--max-old-space-size=4096" },
	{ "CI", "true" },
	{ "DEBUG", "app:*" },
	{ "RUST_BACKTRACE", "1" },
	{ "RUST_LOG", "info,hyper=debug" },
	{ "CARGO_TARGET_DIR", "/home/user/target" },
	{ "GOPATH", "/home/user/go" },
	{ "GOFLAGS", "-mod=mod" },
	{ "JAVA_HOME", "/usr/lib/jvm/java-17-openjdk-amd64" },
	{ "PYTHONPATH", "src:lib" },
	{ "VIRTUAL_ENV", "/home/user/src/project/.venv" },
	{ "CC", "gcc" },
	{ "CFLAGS", "-O2 -g -Wall" },
	{ "MAKEFLAGS", "-j8" },
	{ "TZ", "Europe/Zurich" },
	{ "GIT_AUTHOR_NAME", "A U Thor" },
	{ "GIT_COMMIT", "da39a3ee5e6b4b0d3255bfef95601890afd80709" },
	{ "XDG_SESSION_ID", "3" },
	{ "CLAUDE_CODE_SESSION_ID", "1b4e28ba-2fa1-11d2-883f-0016d3cca427" },
	{ "CLAUDECODE", "1" },
	{ "TRACEPARENT", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01" },
	{ "AWS_REGION", "eu-central-1" },
	{ "HTTPS_PROXY", "http://proxy.example.org:3128" },
	{ "KEYBOARD_LAYOUT", "us" },
	{ "PORT", "3000" },
	{ "API_URL", "https://api.example.org/v1" },
	{ "BUILD_ID", "2026-11-20T20:15:00Z-17" },
	{ "npm_config_cache", "/home/user/.npm" },
	{ "TOKENIZERS_PARALLELISM", "false" },
	{ "AWS_DEFAULT_REGION", "eu-central-1" },
	{ "AWS_PAGER", "cat" },
	{ "GH_PAGER", "cat" },
	{ "AZURE_CORE_OUTPUT", "json" },
	{ "GOOGLE_CLOUD_PROJECT", "p" },
	{ "SSH_ASKPASS_REQUIRE", "force" },
	{ "KEYCODE_MAP", "x" },
	{ "DESKTOP_SESSION", "gnome" },
	{ "HF_HOME", "/data/hf" },
	{ "HF_HUB_OFFLINE", "1" },
	{ "HF_ENDPOINT", "https://hf.example.org" },
	{ "AWS_PROFILE", "dev" },
	{ "AWS_ENDPOINT_URL_S3", "http://localhost:4566" },
	{ "GH_HOST", "ghe.example.org" },
	{ "OPENAI_BASE_URL", "http://localhost:11434/v1" },
	{ "ANTHROPIC_MODEL", "claude-sonnet-4-5" },
	{ "ENV", "test" },
	{ "MALLOC_ARENA_MAX", "2" },
	{ "SBT_OPTS", "-Dpassword=$SECRET" },
	{ "DEBUG", "app:auth:token:*" },
};

// Each by one row of the table alone: a row that goes is seen here.
static const struct {
	const char *name, *why;
} one_row_each[] = {
	{ "X_TOKEN_X", "secret" },
	{ "X_SECRET_X", "secret" },
	{ "X_PASSW_X", "secret" },
	{ "X_PASSPHRASE_X", "secret" },
	{ "X_PASS", "secret" },
	{ "X_PWD", "secret" },
	{ "X_KEY", "secret" },
	{ "X_KEY_ID", "secret" },
	{ "XAPIKEYS", "secret" },
	{ "X_API_KEYS", "secret" },
	{ "X_ACCESS_KEYS", "secret" },
	{ "X_PRIVATE_KEYS", "secret" },
	{ "X_SIGNING_KEYS", "secret" },
	{ "X_ENCRYPTION_KEYS", "secret" },
	{ "X_CREDENTIALS", "secret" },
	{ "X_CREDS", "secret" },
	{ "X_AUTH", "secret" },
	{ "X_AUTH_FILE", "secret" },
	{ "AUTHORIZATION", "secret" },
	{ "X_PAT", "secret" },
	{ "X_DSN", "secret" },
	{ "X_WEBHOOKS", "secret" },
	{ "X_COOKIES", "secret" },
	{ "X_CERT_KEYS", "secret" },
	{ "X_CONNECTION_STRINGS", "secret" },
	{ "X_VAULT_X", "secret" },
	{ "AWS_X", "secret" },
	{ "GH_X", "secret" },
	{ "AZURE_X", "secret" },
	{ "GOOGLE_X", "secret" },
	{ "GCP_X", "secret" },
	{ "CLOUDSDK_X", "secret" },
	{ "OPENAI_X", "secret" },
	{ "ANTHROPIC_X", "secret" },
	{ "HF_X", "secret" },
	{ "DATABASE_URL", "secret" },
	{ "REDIS_URL", "secret" },
	{ "MONGO_URI", "secret" },
	{ "NETRC", "secret" },
	{ "KUBECONFIG", "secret" },
	{ "PGSERVICEFILE", "secret" },
	{ "GIT_ASKPASS", "door" },
	{ "SSH_ASKPASS", "door" },
	{ "X_SOCK", "door" },
	{ "X_SOCKET", "door" },
	{ "X_SOCKET_PATH", "door" },
	{ "SSH_AGENT_PID", "door" },
	{ "SSH_CONNECTION", "door" },
	{ "SSH_CLIENT", "door" },
	{ "SSH_TTY", "door" },
	{ "GPG_AGENT_INFO", "door" },
	{ "DBUS_X", "door" },
	{ "DISPLAY", "door" },
	{ "WAYLAND_X", "door" },
	{ "XAUTHORITY", "door" },
	{ "ICEAUTHORITY", "door" },
	{ "SESSION_MANAGER", "door" },
	{ "XDG_RUNTIME_DIR", "door" },
	{ "DOCKER_X", "door" },
	{ "CONTAINER_HOST", "door" },
	{ "PODMAN_X", "door" },
	{ "PULSE_X", "door" },
	{ "PIPEWIRE_X", "door" },
	{ "LISTEN_X", "door" },
	{ "INVOCATION_ID", "door" },
	{ "JOURNAL_STREAM", "door" },
	{ "TMUX_PANE", "door" },
	{ "STY", "door" },
	{ "VSCODE_X", "door" },
	{ "GNOME_X", "door" },
	{ "KITTY_LISTEN_ON", "door" },
	{ "LD_X", "loader" },
	{ "GLIBC_TUNABLES", "loader" },
	{ "GCONV_PATH", "loader" },
	{ "LOCPATH", "loader" },
	{ "MALLOC_TRACE", "loader" },
	{ "BASH_ENV", "loader" },
	{ "BASH_FUNC_x", "loader" },
	{ "BASHOPTS", "loader" },
	{ "SHELLOPTS", "loader" },
	{ "ENV", "loader" },
	{ "PS4", "loader" },
	{ "PROMPT_COMMAND", "loader" },
	{ "IFS", "loader" },
	{ "CDPATH", "loader" },
	{ "PERL5OPT", "loader" },
	{ "PERL5DB", "loader" },
	{ "PYTHONSTARTUP", "loader" },
	{ "PYTHONINSPECT", "loader" },
	{ "RUBYOPT", "loader" },
};

// What tokens begin with, by the words of those who issue them.
static const char *const secret_prefixes[] = {
	"ghp_",       "gho_",       "ghu_",     "ghs_",     "ghr_",     "github_pat_",
	"glpat-",     "sk-",        "sk_live_", "rk_live_", "sk_test_", "xoxb-",
	"xoxp-",      "xoxa-",      "xapp-",    "AKIA",     "ASIA",     "AIza",
	"ya29.",      "npm_",       "pypi-",    "dop_v1_",  "hf_",      "SG.",
	"-----BEGIN", "eyJhbGciOi", "Bearer ",  "Basic ",   "hvs.",     "lin_api_",
	"dckr_pat_",  "figd_",      "key-",     "shpat_",   "sq0atp-",  "atlasv1.",
};

static const char *const doors_and_hooks[] = {
	"SSH_AUTH_SOCK",
	"DBUS_SESSION_BUS_ADDRESS",
	"DISPLAY",
	"WAYLAND_DISPLAY",
	"XAUTHORITY",
	"DOCKER_HOST",
	"XDG_RUNTIME_DIR",
	"TMUX",
	"NOTIFY_SOCKET",
	"VSCODE_IPC_HOOK_CLI",
	"LD_PRELOAD",
	"LD_LIBRARY_PATH",
	"BASH_ENV",
	"ENV",
	"BASH_FUNC_ls%%",
	"PROMPT_COMMAND",
	"PERL5OPT",
	"GLIBC_TUNABLES",
	"IFS",
};

#define COUNT(list) (sizeof(list) / sizeof(*(list)))

static void by_name(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(secret_names); i++)
		if (!variable_withheld(secret_names[i], "x"))
			fail_msg("%s passes", secret_names[i]);
	for (size_t i = 0; i < COUNT(doors_and_hooks); i++)
		if (!variable_withheld(doors_and_hooks[i], "/x"))
			fail_msg("%s passes", doors_and_hooks[i]);
}

static void by_each_row(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(one_row_each); i++) {
		const char *why = variable_withheld(one_row_each[i].name, "/x");
		if (!why || !strstr(why, one_row_each[i].why))
			fail_msg("%s: %s", one_row_each[i].name, why ? why : "passes");
	}
}

static void by_value(void **state)
{
	char value[64];
	(void)state;
	for (size_t i = 0; i < COUNT(secret_prefixes); i++) {
		snprintf(value, sizeof(value), "%s01234567", secret_prefixes[i]);
		if (!variable_withheld("SOMETHING", value))
			fail_msg("%s passes", value);
	}
	for (size_t i = 0; i < COUNT(secret_values); i++)
		if (!variable_withheld("SOMETHING", secret_values[i]))
			fail_msg("%s passes", secret_values[i]);
}

static void harmless_pass(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(harmless); i++) {
		const char *why = variable_withheld(harmless[i][0], harmless[i][1]);
		if (why)
			fail_msg("%s=%s is withheld: %s", harmless[i][0], harmless[i][1], why);
	}
}

int main(void)
{
	_Static_assert(COUNT(secret_names) >= 60 && COUNT(secret_values) >= 20 &&
			       COUNT(harmless) >= 40,
		       "as many as rule 30 asks for");
	const struct CMUnitTest tests[] = { cmocka_unit_test(by_name),
					    cmocka_unit_test(by_each_row),
					    cmocka_unit_test(by_value),
					    cmocka_unit_test(harmless_pass) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
