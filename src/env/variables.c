// Owns the tables of names and values that do not enter a box unless named exactly.
#include "env/env.h"

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/base.h"

const char *const variables_minimal[] = { "PATH", "HOME",      "USER", "LOGNAME", "SHELL", "TERM",
					  "TZ",   "COLORTERM", "LANG", "LC_*",    NULL };

static const char secret_name[] = "its name says that it is a secret";
static const char secret_value[] = "its value looks like a secret";
static const char door[] = "it opens a door out of the box";
static const char loader[] = "it steers loaders and shells";

const struct path_variable path_variables[] = {
	{ "TERMINFO", PATH_OF_TERMINALS },         // terminfo(5)
	{ "TERMINFO_DIRS", PATH_OF_TERMINALS },    // terminfo(5), a list
	{ "GIT_CONFIG_GLOBAL", PATH_OF_GIT },      // git(1)
	{ "GIT_CONFIG_SYSTEM", PATH_OF_GIT },      // git(1)
	{ "GIT_TEMPLATE_DIR", PATH_OF_DIRECTORY }, // git-init(1)
	{ "SSL_CERT_FILE", PATH_OF_ROOTS },        // OpenSSL: SSL_CTX_load_verify_locations(3)
	{ "CURL_CA_BUNDLE", PATH_OF_ROOTS },       // curl(1)
	{ "NODE_EXTRA_CA_CERTS", PATH_OF_ROOTS },  // node(1)
	{ "REQUESTS_CA_BUNDLE", PATH_OF_ROOTS },   // requests: SSL Cert Verification
	{ "PIP_CERT", PATH_OF_ROOTS },             // pip --help, --cert
	{ "GIT_SSL_CAINFO", PATH_OF_ROOTS },       // git-config(1), http.sslCAInfo
	{ "CARGO_HTTP_CAINFO", PATH_OF_ROOTS },    // cargo: http.cainfo
	{ "AWS_CA_BUNDLE", PATH_OF_ROOTS },        // aws: ca_bundle
	{ "DENO_CERT", PATH_OF_ROOTS },            // deno --help, environment variables
	{ "NIX_SSL_CERT_FILE", PATH_OF_ROOTS },    // nix.conf(5), ssl-cert-file
	{ "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH", PATH_OF_ROOTS },   // gRPC: environment variables
	{ "CLOUDSDK_CORE_CUSTOM_CA_CERTS_FILE", PATH_OF_ROOTS }, // gcloud topic configurations
	{ "HTTPLIB2_CA_CERTS", PATH_OF_ROOTS },                  // httplib2.certs
	{ "SSL_CERT_DIR", PATH_OF_OTHER_ROOTS },                 // OpenSSL: a list of directories
	{ "GIT_SSL_CAPATH", PATH_OF_OTHER_ROOTS },               // git-config(1), http.sslCAPath
	{ "npm_config_cafile", PATH_OF_OTHER_ROOTS },            // npm-config(7), cafile
	{ "NPM_CONFIG_CAFILE", PATH_OF_OTHER_ROOTS },
	{ "JULIA_SSL_CA_ROOTS_PATH", PATH_OF_OTHER_ROOTS }, // NetworkOptions.jl
	{ "PERL_LWP_SSL_CA_FILE", PATH_OF_OTHER_ROOTS },    // LWP::UserAgent(3pm)
	{ "MOZILLA_CA_FILE", PATH_OF_OTHER_ROOTS },
	{ "RIPGREP_CONFIG_PATH", PATH_OF_SETTINGS },   // rg(1)
	{ "PIP_CONFIG_FILE", PATH_OF_SETTINGS },       // pip: Configuration
	{ "UV_CONFIG_FILE", PATH_OF_SETTINGS },        // uv: Environment variables
	{ "npm_config_userconfig", PATH_OF_SETTINGS }, // npm-config(7)
	{ "NPM_CONFIG_USERCONFIG", PATH_OF_SETTINGS },
	{ "npm_config_globalconfig", PATH_OF_SETTINGS },
	{ "NPM_CONFIG_GLOBALCONFIG", PATH_OF_SETTINGS },
	{ "GOENV", PATH_OF_SETTINGS },           // go help environment
	{ "CONDARC", PATH_OF_SETTINGS },         // conda: Using the .condarc configuration file
	{ "MAMBARC", PATH_OF_SETTINGS },         // micromamba
	{ "GEMRC", PATH_OF_SETTINGS },           // gem help environment
	{ "INPUTRC", PATH_OF_SETTINGS },         // readline(3)
	{ "WGETRC", PATH_OF_SETTINGS },          // wget(1)
	{ "BAT_CONFIG_PATH", PATH_OF_SETTINGS }, // bat(1)
	{ "FZF_DEFAULT_OPTS_FILE", PATH_OF_SETTINGS }, // fzf(1)
	{ "STARSHIP_CONFIG", PATH_OF_SETTINGS },       // starship.rs/config
	{ "SCREENRC", PATH_OF_SETTINGS },              // screen(1)
	{ "PYLINTRC", PATH_OF_SETTINGS },              // pylint(1)
	{ "COVERAGE_RCFILE", PATH_OF_SETTINGS },       // coverage: Configuration reference
	{ "YAMLLINT_CONFIG_FILE", PATH_OF_SETTINGS },  // yamllint(1)
	{ "ACKRC", PATH_OF_SETTINGS },                 // ack(1)
	{ NULL, PATH_OF_SETTINGS },
};
const unsigned path_variable_count = sizeof(path_variables) / sizeof(*path_variables);

const char *const variables_of_registries[] = {
	"PIP_*INDEX_URL", "PIP_FIND_LINKS", "UV_*INDEX*", "UV_FIND_LINKS",
	"*REGISTR*",      "*registry",      "GOPROXY",    "CARGO_SOURCE_*",
	"BUNDLE_MIRROR*", "CONDA_CHANNEL*", NULL,
};

struct variable_rule {
	const char *pattern, *why; // why NULL: the variable passes, also if a later row matches
};

static const struct variable_rule names[] = {
	{ "GIT_ASKPASS", door },
	{ "SSH_ASKPASS", door },
	{ "TOKENIZERS_PARALLELISM", NULL },
	{ "DESKTOP_SESSION", NULL },
	{ "*TOKEN*", secret_name },
	{ "*SECRET*", secret_name },
	{ "*PASSW*", secret_name },
	{ "*PASSPHRASE*", secret_name },
	{ "*PASS", secret_name },
	{ "*PASSCODE*", secret_name },
	{ "*_PWD", secret_name },
	{ "*_PW", secret_name },
	{ "PW", secret_name },
	{ "KEY", secret_name },
	{ "AUTH", secret_name },
	{ "CRED", secret_name },
	{ "CREDS", secret_name },
	{ "PAT", secret_name },
	{ "JWT", secret_name },
	{ "*_JWT", secret_name },
	{ "*_CRED", secret_name },
	{ "*_SESSION", secret_name },
	{ "OP_SESSION_*", secret_name }, // op signin
	{ "*_KEY", secret_name },
	{ "*_KEY_ID", secret_name },
	{ "*APIKEY*", secret_name },
	{ "*API_KEY*", secret_name },
	{ "*ACCESS_KEY*", secret_name },
	{ "*PRIVATE_KEY*", secret_name },
	{ "*SIGNING_KEY*", secret_name },
	{ "*ENCRYPTION_KEY*", secret_name },
	{ "*CREDENTIAL*", secret_name },
	{ "*_CREDS", secret_name },
	{ "*_AUTH", secret_name },
	{ "*_AUTH_*", secret_name },
	{ "*AUTHORIZATION*", secret_name },
	{ "*_PAT", secret_name },
	{ "*_DSN", secret_name },
	{ "*WEBHOOK*", secret_name },
	{ "*COOKIE*", secret_name },
	{ "*_CERT_KEY*", secret_name },
	{ "*CONNECTION_STRING*", secret_name },
	{ "DATABASE_URL", secret_name },
	{ "REDIS_URL", secret_name },
	{ "MONGO*_URI", secret_name },
	{ "NETRC", secret_name },
	{ "KUBECONFIG", secret_name },
	{ "PGSERVICEFILE", secret_name },
	{ "*_SOCK", door },
	{ "*_SOCKET", door },
	{ "*_SOCKET_PATH", door },
	{ "SSH_AGENT_PID", door },
	{ "SSH_CONNECTION", door },
	{ "SSH_CLIENT", door },
	{ "SSH_TTY", door },
	{ "GPG_AGENT_INFO", door },
	{ "DBUS_*", door },
	{ "DISPLAY", door },
	{ "WAYLAND_*", door },
	{ "XAUTHORITY", door },
	{ "ICEAUTHORITY", door },
	{ "SESSION_MANAGER", door },
	{ "XDG_RUNTIME_DIR", door },
	{ "DOCKER_*", door },
	{ "CONTAINER_HOST", door },
	{ "PODMAN_*", door },
	{ "PULSE_*", door },
	{ "PIPEWIRE_*", door },
	{ "LISTEN_*", door },
	{ "INVOCATION_ID", door },
	{ "JOURNAL_STREAM", door },
	{ "TMUX*", door },
	{ "STY", door },
	{ "VSCODE_*", door },
	{ "GNOME_*", door },
	{ "KITTY_LISTEN_ON", door },
	{ "LD_*", loader },
	{ "GLIBC_TUNABLES", loader },
	{ "GCONV_PATH", loader },
	{ "LOCPATH", loader },
	{ "MALLOC_TRACE", loader }, // mtrace(3) writes to this file
	{ "BASH_ENV", loader },
	{ "BASH_FUNC_*", loader },
	{ "BASHOPTS", loader },
	{ "SHELLOPTS", loader },
	{ "ENV", loader },
	{ "PS4", loader },
	{ "PROMPT_COMMAND", loader },
	{ "IFS", loader },
	{ "CDPATH", loader },
	{ "PERL5OPT", loader },
	{ "PERL5DB", loader },
	{ "PYTHONSTARTUP", loader },
	{ "PYTHONINSPECT", loader },
	{ "RUBYOPT", loader },
	{ "*_HOME", NULL },
	{ "*_HOST", NULL },
	{ "*_BASE_URL", NULL },
	{ "*_API_BASE", NULL },
	{ "*_ENDPOINT", NULL },
	{ "*_ENDPOINT_URL*", NULL },
	{ "*_MODEL", NULL },
	{ "*_PROFILE", NULL },
	{ "*_REGION", NULL },
	{ "*_LOCATION", NULL },
	{ "*_OFFLINE", NULL },
	{ "*_CACHE", NULL },
	{ "*_DIR", NULL },
	{ "*_PAGER", NULL },
	{ "*_EDITOR", NULL },
	{ "*_OUTPUT", NULL },
	{ "*_PROJECT", NULL },
	{ "*_VERSION", NULL },
	{ "*_REPO", NULL },
	{ "*_DISABLED", NULL },
	{ "HF_HUB_ENABLE_*", NULL },
	{ "HF_HUB_DISABLE_*", NULL },
	{ "*VAULT_*", secret_name },
	{ "AWS_*", secret_name },
	{ "GH_*", secret_name },
	{ "AZURE_*", secret_name },
	{ "GOOGLE_*", secret_name },
	{ "GCP_*", secret_name },
	{ "CLOUDSDK_*", secret_name },
	{ "OPENAI_*", secret_name },
	{ "ANTHROPIC_*", secret_name },
	{ "HF_*", secret_name },
};

static const char *const prefixes[] = {
	"ghp_",       "gho_",       "ghu_",     "ghs_",     "ghr_",     "github_pat_",
	"glpat-",     "sk-",        "sk_live_", "rk_live_", "sk_test_", "xoxb-",
	"xoxp-",      "xoxa-",      "xapp-",    "AKIA",     "ASIA",     "AIza",
	"ya29.",      "npm_",       "pypi-",    "dop_v1_",  "hf_",      "SG.",
	"-----BEGIN", "eyJhbGciOi", "Bearer ",  "Basic ",   "hvs.",     "lin_api_",
	"dckr_pat_",  "figd_",      "key-",     "shpat_",   "sq0atp-",  "atlasv1.",
};

// Finds passwords in the value's URLs. A long user name without a password is a token.
static bool url_with_password(const char *value)
{
	enum { TOKEN_LEAST = 20 };
	for (const char *scheme = strstr(value, "://"); scheme; scheme = strstr(scheme, "://")) {
		scheme += 3;
		const char *at = memchr(scheme, '@', strcspn(scheme, "/?# "));
		if (at &&
		    (at - scheme >= TOKEN_LEAST || memchr(scheme, ':', (size_t)(at - scheme))))
			return true;
	}
	return false;
}

// Matches "Password=x", "-Dsigning.password=x", {"token":"x"}, "Authorization: basic x", but no
// reference such as "$X".
static bool key_with_secret(const char *value)
{
	static const char *const keys[] = { "password",   "passwd",      "pwd",
					    "passphrase", "secret",      "token",
					    "api_key",    "apikey",      "api-key",
					    "accountkey", "accesskey",   "access_key",
					    "privatekey", "private_key", "authorization",
					    "_auth" };
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		for (const char *at = strcasestr(value, keys[i]); at;
		     at = strcasestr(at, keys[i])) {
			at += strlen(keys[i]);
			const char *sign = at + strspn(at, "\"' ");
			if (*sign != '=' && *sign != ':')
				continue;
			const char *text = sign + 1 + strspn(sign + 1, "\"' ");
			// "a:token:b" is a list, not a pair.
			bool pair = *sign == '=' || sign > at || text > sign + 1;
			if (pair && *text && !strchr("$%{<&;,", *text))
				return true;
		}
	return false;
}

// Matches URLs of Slack, Discord, Teams and Telegram.
static bool has_secret_form(const char *value)
{
	static const char *const forms[] = {
		"://hooks.",        "/api/webhooks/", "://webhook",
		".webhook.",        "/webhookb2/",    "://api.telegram.org/bot",
		"PRIVATE KEY-----", "?sig=",          "&sig="
	};
	const char *bearer = strcasestr(value, "bearer ");
	if (bearer && bearer[strlen("bearer ")] && !strchr("$%{< ", bearer[strlen("bearer ")]))
		return true;
	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++)
		if (strstr(value, forms[i]))
			return true;
	return key_with_secret(value);
}

// 48 or more digits are a secret. A commit id has 40.
static bool hexadecimal(const char *value, size_t length)
{
	return length >= 48 && strspn(value, "0123456789abcdefABCDEF") == length;
}

static bool high_entropy(const char *value, size_t length)
{
	unsigned upper = 0, lower = 0, digits = 0, different = 0, changes = 0;
	bool seen[256] = { false };
	if (length < 24 || length > 512)
		return false;
	for (size_t i = 0; i < length; i++) {
		unsigned char c = (unsigned char)value[i];
		if (!isalnum(c) && !strchr("+=_-/", c))
			return false;
		upper += isupper(c) != 0;
		lower += islower(c) != 0;
		digits += isdigit(c) != 0;
		different += !seen[c];
		seen[c] = true;
		changes += i > 0 && isalpha(c) && isalpha((unsigned char)value[i - 1]) &&
			   (isupper(c) != 0) != (isupper((unsigned char)value[i - 1]) != 0);
	}
	// Paths and CamelCase have few changes of case.
	return upper >= 3 && lower >= 3 && digits >= 3 && different >= 14 && changes * 6 >= length;
}

static bool is_word(const char *value)
{
	while (isalnum((unsigned char)*value) || *value == '-' || *value == '_')
		value++;
	return *value == '\0';
}

static uint32_t letter(char c)
{
	return 1U << ((unsigned char)c & 31);
}

static uint32_t letters_of(const char *name)
{
	uint32_t letters = 0;
	for (; *name; name++)
		letters |= letter(*name);
	return letters;
}

static bool hopeless(const char *pattern, const char *name, uint32_t letters)
{
	if (pattern[0] != '*')
		return pattern[0] != name[0];
	uint32_t needed = letter(pattern[1]) | letter(pattern[2]) | letter(pattern[3]);
	return (letters & needed) != needed;
}

const char *variable_profile(const char *name)
{
	static const char *const rows[][2] = {
		{ "DISPLAY", "x11" },           { "WAYLAND_DISPLAY", "display" },
		{ "PULSE_SERVER", "sound" },    { "DOCKER_HOST", "docker" },
		{ "CONTAINER_HOST", "podman" },
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (str_equal(rows[i][0], name))
			return rows[i][1];
	return NULL;
}

const char *variable_withheld(const char *name, const char *value)
{
	enum { NAME_LONGEST = 256 };
	char folded[NAME_LONGEST];
	size_t length = strlen(value), size = strlen(name);
	if (size >= sizeof(folded))
		return "its name is too long to be judged";
	for (size_t i = 0; i < size; i++)
		folded[i] = (char)toupper((unsigned char)name[i]);
	folded[size] = '\0';
	uint32_t letters = letters_of(folded);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const char *pattern = names[i].pattern;
		const char *own = names[i].why == secret_name ? folded : name;
		if (hopeless(pattern, own, letters) || !str_match(own, pattern))
			continue;
		if (str_equal(pattern, "ENV") && is_word(value))
			break;
		if (names[i].why)
			return names[i].why;
		break;
	}
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++)
		if (value[0] == prefixes[i][0] && str_starts(value, prefixes[i]) &&
		    length >= strlen(prefixes[i]) + 8)
			return secret_value;
	if (url_with_password(value) || has_secret_form(value) || hexadecimal(value, length) ||
	    high_entropy(value, length))
		return secret_value;
	return NULL;
}
