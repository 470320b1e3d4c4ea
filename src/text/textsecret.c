// Owns the recognition of secrets in hostile text, and their removal.
#include "text/words.h"

#include <ctype.h>
#include <string.h>

#include "base/base.h"

enum { SECRET_LEAST = 12 };

static const char *const marks[] = {
	"authorization:", "bearer ",    "basic ",   "private-token:", "x-api-key",     "token=",
	"token:",         "token ",     "password", "passwd",         "passphrase",    "secret=",
	"secret ",        "apikey",     "api_key",  "api-key",        "access_key",    "accesskey",
	"_authtoken",     "-----begin", "oauth2:",  "x-access-token", "x-oauth-basic",
};

static const char *const prefixes[] = {
	"ghp_",   "gho_",  "ghu_",   "ghs_",     "ghr_",   "github_pat_", "glpat-",
	"gldt-",  "glrt-", "glptt-", "gloas-",   "glcbt-", "sk-",         "sk_live_",
	"xoxb-",  "xoxp-", "xapp-",  "AKIA",     "ASIA",   "AIza",        "ya29.",
	"npm_",   "pypi-", "hf_",    "dop_v1_",  "eyJ",    "hvs.",        "hvb.",
	"ATATT3", "ATBB",  "ATCTT3", "lin_api_", "figd_",  "shpat_",      "dckr_pat_",
};

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-+";

// Whether the word has 24 characters with cases and digits mixed, or 40 hexadecimal digits.
static bool is_random(const char *word, size_t length)
{
	unsigned upper = 0, lower = 0, digits = 0, changes = 0;
	for (size_t i = 0; i < length; i++) {
		unsigned char c = (unsigned char)word[i];
		upper += isupper(c) != 0;
		lower += islower(c) != 0;
		digits += isdigit(c) != 0;
		changes += i > 0 && (isupper(c) != 0) != (isupper((unsigned char)word[i - 1]) != 0);
	}
	bool hexadecimal = strspn(word, "0123456789abcdefABCDEF") >= length;
	return (hexadecimal && length >= 40) ||
	       (length >= 24 && upper >= 3 && lower >= 3 && digits >= 2 && changes * 6 >= length);
}

static bool begins_secret(const char *word)
{
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++) {
		size_t front = strlen(prefixes[i]);
		if (strncmp(word, prefixes[i], front) == 0 &&
		    strspn(word + front, letters) >= SECRET_LEAST)
			return true;
	}
	return false;
}

bool textsecret_has_word(const char *text)
{
	for (const char *word = text; *word;) {
		size_t length = strspn(word, letters);
		if (begins_secret(word) || is_random(word, length))
			return true;
		for (size_t i = 1; i < length; i++)
			if (!isalnum((unsigned char)word[i - 1]) && begins_secret(word + i))
				return true;
		word += length + (word[length] != '\0');
	}
	return false;
}

bool textsecret_is(const char *text)
{
	for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++)
		if (strcasestr(text, marks[i]))
			return true;
	return textsecret_has_word(text);
}

static bool is_login(const char *text, const char *scheme, const char *user, const char *at)
{
	const char *start = scheme;
	while (start > text && (isalnum((unsigned char)start[-1]) || start[-1] == '+'))
		start--;
	bool ssh = scheme - start >= 3 && strncasecmp(scheme - 3, "ssh", 3) == 0;
	return ssh && !memchr(user, ':', (size_t)(at - user));
}

const char *textsecret_strip(struct arena *arena, const char *text)
{
	const char *scheme = strstr(text, "://");
	if (!scheme)
		return text;
	char *copy = arena_copy(arena, text, strlen(text));
	char *from = strstr(copy, "://");
	bool changed = false;
	for (; from; from = strstr(from, "://")) {
		char *user = from + 3, *at = NULL;
		size_t length = strcspn(user, "/?# \t\n\"'`,;|<>");
		for (size_t i = 0; i < length; i++)
			at = user[i] == '@' ? user + i : at;
		if (!at) {
			char *port = memchr(user, ':', length);
			size_t word = strcspn(user, " \t\n\"'`,;|<>");
			bool number = port && strspn(port + 1, "0123456789") ==
						      (size_t)(user + length - port - 1);
			if (port && !number && user[0] != '[' && memchr(user, '@', word))
				return NULL;
		} else if (!is_login(copy, from, user, at)) {
			memmove(user, at + 1, strlen(at + 1) + 1);
			changed = true;
		}
		from = user;
	}
	return changed ? copy : text;
}

static bool has_secret_key(const char *line)
{
	static const char *const words[] = { "token",         "passw",   "secret",     "_auth",
					     "authorization", "api_key", "apikey",     "api-key",
					     "credential",    "private", "access_key", "cookie",
					     "auth =",        "auth:",   "auth=" };
	size_t length = strcspn(line, "=");
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		const char *word = strcasestr(line, words[i]);
		if (word && (size_t)(word - line) <= length)
			return true;
	}
	return false;
}

static void strip_conda(char *line)
{
	for (char *from = strstr(line, "/t/"); from; from = strstr(from, "/t/")) {
		char *end = from + 3 + strcspn(from + 3, "/ \t\"'");
		memmove(from, end, strlen(end) + 1);
		from += *from != '\0';
	}
}

static bool goes_on(const char *line)
{
	size_t length = strlen(line), quotes = 0;
	while (length > 0 && strchr(" \t\r", line[length - 1]))
		length--;
	for (size_t i = 0; i < length; i++)
		quotes += line[i] == '"' || line[i] == '\'';
	return quotes % 2 || strstr(line, "\"\"\"") || strstr(line, "'''") ||
	       (length > 0 && strchr("=:|>[{(\\,", line[length - 1]));
}

// Whether a part of a path mixes cases and digits, like a registry's read token (cloudsmith, fury).
static bool has_mixed_word(const char *text)
{
	for (const char *word = text; *word;) {
		size_t length = strspn(word, letters), upper = 0, lower = 0, digits = 0;
		for (size_t i = 0; i < length; i++) {
			upper += isupper((unsigned char)word[i]) != 0;
			lower += islower((unsigned char)word[i]) != 0;
			digits += isdigit((unsigned char)word[i]) != 0;
		}
		if (length >= SECRET_LEAST && upper && lower && digits)
			return true;
		word += length + (word[length] != '\0');
	}
	return false;
}

static bool is_of_registries(const char *line)
{
	static const char name[] = "abcdefghijklmnopqrstuvwxyz0123456789._-";
	static const char keys[] = "name replace-with index-strategy format trusted-host "
				   "channel_priority GOPROXY GOPRIVATE GONOPROXY GONOSUMDB GOSUMDB "
				   "GOINSECURE GOTOOLCHAIN";
	const char *text = line + strspn(line, " \t");
	size_t length = strlen(text), key = strcspn(text, "=: \t");
	while (length > 0 && strchr(" \t\r,\"", text[length - 1]))
		length--;
	if (strstr(text, "://"))
		return !strchr(text, '?') && !has_mixed_word(strstr(text, "://"));
	if (length == 0 || strchr("[{}]", text[0]) || strchr("=:[{", text[length - 1]))
		return true;
	if (str_starts(text, "- "))
		return strspn(text + 2, name) + 2 == length && !has_mixed_word(text);
	const char *value = text + key + strspn(text + key, "=: \t\"");
	length = value < text + length ? (size_t)(text + length - value) : 0;
	return text[key] && (str_has_word(keys, text, key) ||
			     str_has_word("true false yes no null", value, length) ||
			     (length < SECRET_LEAST && strspn(value, "0123456789") >= length));
}

// Returns the part of a line that may be shown, or NULL. *ret_goes_on: a secret may continue on the
// next line.
static const char *keep(struct arena *arena, const char *line, enum textsecret_kept kept,
			bool *ret_goes_on)
{
	const char *stripped = textsecret_strip(arena, line);
	char *own = arena_copy(arena, stripped ? stripped : "", stripped ? strlen(stripped) : 0);
	strip_conda(own);
	bool secret = !stripped || has_secret_key(line) || textsecret_is(own);
	*ret_goes_on = secret && goes_on(line);
	if (secret || kept == TEXTSECRET_ALL)
		return secret ? NULL : own;
	for (size_t i = 0; own[i]; i++)
		if (strchr("#;", own[i]) && (i == 0 || strchr(" \t", own[i - 1])))
			own[i + 1] = own[i] = '\0';
	return is_of_registries(own) ? own : NULL;
}

const char *textsecret_lines(struct arena *arena, const char *text, size_t length,
			     enum textsecret_kept kept)
{
	char *shown = arena_take(arena, length + 1), *end = shown;
	bool changed = false, continues;
	if (memchr(text, '\0', length))
		return "";
	for (const char *at = text; at < text + length;) {
		const char *stop = memchr(at, '\n', (size_t)(text + length - at));
		size_t size = stop ? (size_t)(stop - at) : (size_t)(text + length - at);
		const char *line = arena_copy(arena, at, size),
			   *own = keep(arena, line, kept, &continues);
		if (continues)
			return "";
		changed |= !own || strcmp(own, line) != 0;
		if (own)
			end = stpcpy(end, own);
		if (stop)
			*end++ = '\n';
		at += size + 1;
	}
	*end = '\0';
	return changed ? shown : NULL;
}

const char *textsecret_certificates(struct arena *arena, const char *text)
{
	static const char begin[] = "-----BEGIN CERTIFICATE-----",
			  end[] = "-----END CERTIFICATE-----",
			  base64[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				     "0123456789+/= \t\r\n";
	size_t most = strlen(text) + strlen(text) / sizeof(begin) + 1, used = 0;
	char *kept = arena_take(arena, most);
	for (const char *at = strstr(text, begin); at; at = strstr(at, begin)) {
		const char *first = at, *last;
		at += sizeof(begin) - 1;
		last = at + strspn(at, base64);
		if (strncmp(last, end, sizeof(end) - 1) != 0)
			continue;
		size_t length = (size_t)(last - first) + sizeof(end) - 1;
		memcpy(kept + used, first, length);
		kept[used + length] = '\n';
		used += length + 1;
	}
	kept[used] = '\0';
	return kept;
}
