// Owns the reading of known_hosts and public keys.
#include "sshagent/sshagent.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "text/piece.h"
#include "text/sha.h"

enum { KEY_BYTES_MAX = 16 * 1024, HMAC_BLOCK = 64, PORT_SSH = 22 };

static const char blanks[] = " \t";

static bool is_host(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		if (!isalnum((unsigned char)text[i]) && !strchr("-._:%", text[i]))
			return false;
	}
	return length > 0 && length < AGENT_NAME - 8;
}

bool known_host_parse(const char *text, struct known_host *ret_host)
{
	struct known_host host = { 0 };
	unsigned long long port = PORT_SSH;
	size_t length = strlen(text);
	const char *colon = strrchr(text, ':'), *digits = NULL;
	if (text[0] == '[') {
		const char *end = strchr(text, ']');
		if (!end || (end[1] != ':' && end[1] != '\0'))
			return false;
		digits = end[1] ? end + 2 : NULL;
		text++;
		length = (size_t)(end - text);
	} else if (colon && strchr(text, ':') == colon) { // one colon: no IPv6 address
		digits = colon + 1;
		length = (size_t)(colon - text);
	}
	if (digits && !str_number(digits, strlen(digits), 1, 65535, &port))
		return false;
	if (!is_host(text, length))
		return false;
	if (port == PORT_SSH)
		snprintf(host.name, sizeof(host.name), "%.*s", (int)length, text);
	else
		snprintf(host.name, sizeof(host.name), "[%.*s]:%llu", (int)length, text, port);
	for (char *at = host.name; *at; at++)
		*at = (char)tolower((unsigned char)*at);
	*ret_host = host;
	return true;
}

static void hmac_sha1(const uint8_t *key, size_t key_length, const char *text, size_t length,
		      uint8_t hash[SHA1_BYTES])
{
	uint8_t inner[HMAC_BLOCK + AGENT_NAME], outer[HMAC_BLOCK + SHA1_BYTES];
	memset(inner, 0x36, HMAC_BLOCK);
	memset(outer, 0x5c, HMAC_BLOCK);
	for (size_t i = 0; i < key_length && i < HMAC_BLOCK; i++) {
		inner[i] ^= key[i];
		outer[i] ^= key[i];
	}
	length = length < AGENT_NAME ? length : AGENT_NAME;
	memcpy(inner + HMAC_BLOCK, text, length);
	sha1(inner, HMAC_BLOCK + length, outer + HMAC_BLOCK);
	sha1(outer, sizeof(outer), hash);
}

// Compares with a hashed name: |1|SALT|HASH, sshd(8).
static bool matches_hashed(struct piece word, const char *name)
{
	uint8_t salt[SHA1_BYTES + 1], wanted[SHA1_BYTES + 1], hash[SHA1_BYTES];
	const char *text = word.at + 3, *end = word.at + word.length;
	const char *bar = memchr(text, '|', (size_t)(end - text));
	if (!bar || base64_decode(text, (size_t)(bar - text), salt, sizeof(salt)) != SHA1_BYTES ||
	    base64_decode(bar + 1, (size_t)(end - bar - 1), wanted, sizeof(wanted)) != SHA1_BYTES)
		return false;
	hmac_sha1(salt, SHA1_BYTES, name, strlen(name), hash);
	return memcmp(hash, wanted, SHA1_BYTES) == 0;
}

// Whether a list of patterns has `name`. A match of '!PATTERN' rejects the line.
static bool matches_list(struct piece list, const char *name)
{
	bool found = false;
	if (list.length > 3 && memcmp(list.at, "|1|", 3) == 0)
		return matches_hashed(list, name);
	while (list.length > 0) {
		struct piece one = piece_until(&list, ',');
		bool negated = one.length > 0 && one.at[0] == '!';
		one.at += negated;
		one.length -= negated;
		bool match = one.length > 0 && piece_matches(one, name);
		if (match && negated)
			return false;
		found = found || match;
	}
	return found;
}

static bool read_key(struct piece type, struct piece encoded, uint8_t ret_hash[SHA256_BYTES])
{
	static uint8_t blob[KEY_BYTES_MAX];
	struct wire wire = { blob, 0 };
	struct wire_string name;
	wire.left = base64_decode(encoded.at, encoded.length, blob, sizeof(blob));
	size_t length = wire.left;
	if (length == 0 || !wire_string(&wire, &name) || wire.left == 0 ||
	    name.length != type.length || memcmp(name.bytes, type.at, name.length) != 0)
		return false;
	sha256(blob, length, ret_hash);
	return true;
}

static void note_name(struct agent_host_key *key, struct piece list)
{
	char first[AGENT_NAME];
	struct known_host ignored;
	list = piece_until(&list, ',');
	if (key->name[0] || list.length >= sizeof(first) || memchr(list.at, '\0', list.length))
		return;
	snprintf(first, sizeof(first), "%.*s", (int)list.length, list.at);
	if (known_host_parse(first, &ignored))
		memcpy(key->name, first, sizeof(first));
}

enum marker { MARKER_NONE, MARKER_REVOKED, MARKER_AUTHORITY, MARKER_UNKNOWN };

static enum marker read_marker(struct piece *line, struct piece *ret_list)
{
	*ret_list = piece_word(line, blanks);
	if (ret_list->length == 0 || ret_list->at[0] != '@')
		return MARKER_NONE;
	struct piece word = *ret_list;
	*ret_list = piece_word(line, blanks);
	return piece_is(word, "@revoked")          ? MARKER_REVOKED
	       : piece_is(word, "@cert-authority") ? MARKER_AUTHORITY
						   : MARKER_UNKNOWN;
}

static bool read_line(struct agent_rules *rules, struct known_host *hosts, unsigned host_count,
		      struct piece line)
{
	uint8_t hash[SHA256_BYTES];
	struct piece list;
	enum marker marker = read_marker(&line, &list);
	struct piece type = piece_word(&line, blanks), encoded = piece_word(&line, blanks);
	bool wanted = marker == MARKER_REVOKED;
	if (list.length == 0 || list.at[0] == '#' || marker == MARKER_UNKNOWN)
		return true;
	for (unsigned i = 0; i < host_count && marker == MARKER_AUTHORITY; i++)
		hosts[i].by_authority = hosts[i].by_authority || matches_list(list, hosts[i].name);
	if (marker == MARKER_AUTHORITY)
		return true;
	if (!read_key(type, encoded, hash))
		return marker != MARKER_REVOKED;
	for (unsigned i = 0; i < host_count; i++)
		wanted = wanted || matches_list(list, hosts[i].name);
	struct agent_host_key *key = agent_host_key(rules, hash);
	if (!key)
		return !wanted;
	note_name(key, list);
	key->revoked = key->revoked || marker == MARKER_REVOKED;
	for (unsigned i = 0; i < host_count && marker == MARKER_NONE; i++) {
		if (!matches_list(list, hosts[i].name))
			continue;
		key->allowed = true;
		hosts[i].keys++;
	}
	return true;
}

unsigned known_hosts_read(struct agent_rules *rules, struct known_host *hosts, unsigned host_count,
			  const char *text, size_t length)
{
	struct piece rest = { text, length };
	for (unsigned number = 1; rest.length > 0; number++) {
		struct piece line = piece_until(&rest, '\n');
		if (line.length > 0 && line.at[line.length - 1] == '\r')
			line.length--;
		if (!read_line(rules, hosts, host_count, line))
			return number;
	}
	return 0;
}

bool known_public_key(const char *text, size_t length, uint8_t ret_hash[SHA256_BYTES])
{
	struct piece rest = { text, length }, line = piece_until(&rest, '\n');
	struct piece type = piece_word(&line, blanks), encoded = piece_word(&line, blanks);
	return read_key(type, encoded, ret_hash);
}

bool known_fingerprint(const char *text, uint8_t ret_hash[SHA256_BYTES])
{
	uint8_t hash[SHA256_BYTES + 1];
	char text_of[48];
	if (!str_starts(text, "SHA256:") || strlen(text + 7) != 43)
		return false;
	snprintf(text_of, sizeof(text_of), "%s=", text + 7);
	if (base64_decode(text_of, 44, hash, sizeof(hash)) != SHA256_BYTES)
		return false;
	memcpy(ret_hash, hash, SHA256_BYTES);
	return true;
}
