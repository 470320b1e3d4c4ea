// Owns the rules of secrets, and the shape of placeholders.
#include "secrets/dialogue/dialogue.h"

#include <ctype.h>
#include <string.h>

static const char *const usual_headers[] = {
	"authorization", "x-api-key", "api-key", "private-token", "x-goog-api-key",
};

// A placeholder keeps these prefixes, which programs check. Longer ones come first.
static const char *const prefixes[] = {
	"github_pat_", "sk-ant-api03-", "sk-ant-", "sk-or-v1-", "sk-proj-", "sk-", "ghp_",  "gho_",
	"ghu_",        "ghs_",          "ghr_",    "glpat-",    "npm_",     "hf_", "pypi-", "AIza",
};

bool secret_goes_to(const struct key_rule *rule, const struct host *host, uint16_t port)
{
	for (unsigned i = 0; i < rule->host_count; i++)
		if (destination_matches(&rule->hosts[i], host, port))
			return true;
	return false;
}

bool secret_in_header(const struct key_rule *rule, struct piece name)
{
	for (size_t i = 0; i < sizeof(usual_headers) / sizeof(*usual_headers); i++)
		if (piece_is_alike(name, usual_headers[i]))
			return true;
	for (unsigned i = 0; i < rule->header_count; i++)
		if (piece_is_alike(name, rule->headers[i]))
			return true;
	return false;
}

const struct key_rule *keyring_only(const struct keyring *ring, const struct host *host,
				    uint16_t port)
{
	for (unsigned i = 0; i < ring->count; i++)
		if (ring->secrets[i].rule.only &&
		    secret_goes_to(&ring->secrets[i].rule, host, port))
			return &ring->secrets[i].rule;
	return NULL;
}

bool is_credential_header(struct piece name)
{
	// Headers of GitLab, OpenStack, AWS, Docker, Azure, Google, Vault and proxies.
	static const char *const more[] = {
		"job-token",
		"deploy-token",
		"x-gitlab-token",
		"x-auth-token",
		"x-access-token",
		"x-api-token",
		"x-subject-token",
		"x-amz-security-token",
		"x-registry-auth",
		"ocp-apim-subscription-key",
		"x-goog-iam-authorization-token",
		"x-vault-token",
		"x-authorization",
		"x-original-authorization",
		"x-forwarded-access-token",
		"x-forwarded-authorization",
	};
	static const struct key_rule none;
	if (secret_in_header(&none, name))
		return true;
	for (size_t i = 0; i < sizeof(more) / sizeof(*more); i++)
		if (piece_is_alike(name, more[i]))
			return true;
	return false;
}

// Compares without case, and decodes %XX.
static bool is_query_name(const char *at, size_t length, const char *name)
{
	const char *end = at + length;
	for (; at < end && *name; name++) {
		char c = *at++;
		if (c == '%' && end - at >= 2) {
			static const char digits[] = "0123456789abcdef";
			const char *high = strchr(digits, at[0] | 0x20);
			const char *low = strchr(digits, at[1] | 0x20);
			if (!high || !low || at[0] == '\0' || at[1] == '\0')
				return false;
			c = (char)((high - digits) << 4 | (low - digits));
			at += 2;
		}
		if ((c | 0x20) != *name && c != *name)
			return false;
	}
	return at == end && *name == '\0';
}

const char *credential_in_query(const char *line, size_t length)
{
	static const char *const names[] = {
		"access_token", "private_token", "job_token", "oauth_token", "auth_token",
		"api_key",      "apikey",        "api-key",   "id_token",    "client_secret",
	};
	const char *end = line + length, *at = memchr(line, '?', length);
	while (at && ++at < end) {
		const char *next = at;
		while (next < end && *next != '&' && *next != ';' && *next != ' ')
			next++;
		const char *equals = memchr(at, '=', (size_t)(next - at));
		size_t size = (size_t)((equals ? equals : next) - at);
		for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
			if (is_query_name(at, size, names[i]))
				return names[i];
		at = next < end && *next != ' ' ? next : NULL;
	}
	return NULL;
}

static size_t drawn(const char *value, size_t at, size_t length)
{
	size_t count = 0;
	for (; at < length; at++)
		count += isalnum((unsigned char)value[at]) != 0;
	return count;
}

static size_t prefix_length(const char *value, size_t length)
{
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++) {
		size_t size = strlen(prefixes[i]);
		if (size < length && memcmp(value, prefixes[i], size) == 0)
			return drawn(value, size, length) >= SECRET_LETTERS_LEAST ? size : 0;
	}
	return 0;
}

const char *secret_problem(const char *value, size_t length)
{
	if (length == 0)
		return "it is empty";
	if (length > SECRET_BYTES_MAX)
		return "it is longer than 4096 bytes";
	for (size_t i = 0; i < length; i++)
		if (value[i] <= ' ' || value[i] > '~')
			return "it holds a space, a line end or a byte that no header carries";
	return drawn(value, 0, length) < SECRET_LETTERS_LEAST
		       ? "it has less than 16 letters and digits"
		       : NULL;
}

void placeholder_make(const char *value, size_t length, const uint16_t *random, char *ret)
{
	static const char letters[] =
		"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
	size_t kept = prefix_length(value, length);
	enum { HEXADECIMAL_LEAST = 32 };
	bool hexadecimal = length - kept >= HEXADECIMAL_LEAST &&
			   strspn(value + kept, "0123456789abcdef") >= length - kept;
	unsigned choice = hexadecimal ? 16 : sizeof(letters) - 1;
	for (size_t i = 0; i < length; i++) {
		bool draws = i >= kept && isalnum((unsigned char)value[i]);
		ret[i] = draws ? letters[random[i] % choice] : value[i];
	}
	ret[length] = '\0';
}
