// Owns where a placeholder may stand.
#include "open/dialogue.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "text/sha.h"

struct swap {
	const struct keyring *ring;
	const struct host *host;
	uint16_t port;
	char *out;
	struct swapped *to;
	const struct key_rule *only;
};

struct head_field {
	const char *name, *value;
	size_t name_length, value_length;
};

// Fields that would hide a secret in the answer, change the protocol, or are for the next reader
// only.
static const char *const dropped[] = {
	"accept-encoding",
	"range",
	"if-range",
	"te",
	"upgrade",
	"http2-settings",
	"proxy-authorization",
	"proxy-connection",
};

static bool is_named(const struct head_field *field, const char *name)
{
	return strlen(name) == field->name_length &&
	       strncasecmp(name, field->name, field->name_length) == 0;
}

static bool is_dropped(const struct swap *swap, const struct head_field *field)
{
	// The cookie may be another user's, left where the box reads.
	if (swap->only && is_named(field, "cookie"))
		return true;
	for (size_t i = 0; i < sizeof(dropped) / sizeof(*dropped); i++)
		if (is_named(field, dropped[i]))
			return true;
	return false;
}

static void put(struct swap *swap, const char *bytes, size_t length)
{
	memcpy(swap->out + swap->to->length, bytes, length);
	swap->to->length += length;
}

static bool check_free(struct swap *swap, const char *bytes, size_t length, const char *where)
{
	for (unsigned i = 0; i < swap->ring->count; i++) {
		const struct secret *secret = &swap->ring->secrets[i];
		if (!memmem(bytes, length, secret->placeholder, secret->length))
			continue;
		bool here = secret_goes_to(&secret->rule, swap->host, swap->port);
		snprintf(swap->to->why, sizeof(swap->to->why),
			 here ? "the placeholder of secret %s is in %s, which does not carry it"
			      : "the placeholder of secret %s was sent to a host that is not its "
				"own",
			 secret->rule.name, where);
		return false;
	}
	return true;
}

static bool check_only(struct swap *swap, const struct head_field *field)
{
	if (!swap->only || field->value_length == 0 ||
	    !(is_credential_header(field->name, field->name_length) ||
	      secret_in_header(swap->only, field->name, field->name_length)))
		return true;
	snprintf(swap->to->why, sizeof(swap->to->why),
		 "another credential than secret %s is in the header %.*s; to allow it: only = no "
		 "in "
		 "[secret %s]",
		 swap->only->name, (int)(field->name_length < 32 ? field->name_length : 32),
		 field->name, swap->only->name);
	return false;
}

static const struct secret *find(struct swap *swap, const struct head_field *field,
				 const char *bytes, size_t length)
{
	for (unsigned i = 0; i < swap->ring->count; i++) {
		const struct secret *secret = &swap->ring->secrets[i];
		if (length == secret->length && memcmp(bytes, secret->placeholder, length) == 0 &&
		    secret_goes_to(&secret->rule, swap->host, swap->port) &&
		    secret_in_header(&secret->rule, field->name, field->name_length)) {
			swap->to->used |= 1U << i;
			return secret;
		}
	}
	return NULL;
}

// User or password may be a placeholder. Keeps the length.
static bool swap_basic(struct swap *swap, const struct head_field *field, const char *coded,
		       size_t length)
{
	char plain[SWAP_BASIC_MAX + 1], again[SWAP_BASIC_MAX + 4];
	size_t size = 0;
	if (length <= SWAP_BASIC_MAX)
		size = base64_decode(coded, length, (unsigned char *)plain, sizeof(plain));
	if (size == 0) {
		put(swap, coded, length);
		return check_only(swap, field);
	}
	const char *colon = memchr(plain, ':', size);
	size_t user = colon ? (size_t)(colon - plain) : size;
	const struct secret *first = find(swap, field, plain, user);
	const struct secret *second =
		colon ? find(swap, field, plain + user + 1, size - user - 1) : NULL;
	if (first)
		memcpy(plain, first->value, first->length);
	if (second)
		memcpy(plain + user + 1, second->value, second->length);
	if (!check_free(swap, plain, size, "a part of Basic"))
		return false;
	if (!first && !second) {
		put(swap, coded, length);
		return check_only(swap, field);
	}
	base64_encode((const unsigned char *)plain, size, again, sizeof(again));
	if (strlen(again) != length) { // the decoder accepts one form only
		snprintf(swap->to->why, sizeof(swap->to->why), "%s", "Basic is not readable");
		return false;
	}
	swap->to->basic_length = length;
	memcpy(swap->to->basic_placeholder, coded, length);
	memcpy(swap->to->basic_value, again, length);
	put(swap, again, length);
	return true;
}

static bool swap_value(struct swap *swap, const struct head_field *field)
{
	static const char *const schemes[] = { "bearer", "token", "basic" };
	enum { BASIC = 2, SCHEMES };
	const char *value = field->value, *end = value + field->value_length;
	const char *space = memchr(value, ' ', field->value_length);
	if (is_named(field, "authorization") && space) {
		size_t length = (size_t)(space - value);
		unsigned scheme = 0;
		while (scheme < SCHEMES && (strlen(schemes[scheme]) != length ||
					    strncasecmp(value, schemes[scheme], length) != 0))
			scheme++;
		while (space < end && *space == ' ')
			space++;
		if (scheme < SCHEMES) {
			put(swap, value, (size_t)(space - value));
			value = space;
		}
		if (scheme == BASIC)
			return swap_basic(swap, field, value, (size_t)(end - value));
	}
	const struct secret *secret = find(swap, field, value, (size_t)(end - value));
	if (secret) {
		put(swap, secret->value, secret->length);
		return true;
	}
	char where[SECRET_HEADER_MAX + 16];
	snprintf(where, sizeof(where), "the header %.*s",
		 (int)(field->name_length < SECRET_HEADER_MAX ? field->name_length
							      : SECRET_HEADER_MAX),
		 field->name);
	if (!check_free(swap, value, (size_t)(end - value), where) || !check_only(swap, field))
		return false;
	put(swap, value, (size_t)(end - value));
	return true;
}

static struct head_field split(const char *line, size_t length)
{
	const char *colon = memchr(line, ':', length);
	const char *value = colon + 1, *end = line + length - 2;
	while (value < end && (*value == ' ' || *value == '\t'))
		value++;
	while (end > value && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	return (struct head_field){ line, value, (size_t)(colon - line), (size_t)(end - value) };
}

static bool swap_line(struct swap *swap, const char *line, size_t length)
{
	struct head_field field = split(line, length);
	if (!check_free(swap, field.name, field.name_length, "the name of a header"))
		return false;
	if (is_dropped(swap, &field))
		return check_free(swap, field.value, field.value_length,
				  "a header that is left out");
	put(swap, field.name, field.name_length);
	put(swap, ": ", 2);
	if (!swap_value(swap, &field))
		return false;
	put(swap, "\r\n", 2);
	return true;
}

static bool check_query(struct swap *swap, const char *line, size_t length)
{
	const char *name = swap->only ? credential_in_query(line, length) : NULL;
	if (name)
		snprintf(swap->to->why, sizeof(swap->to->why),
			 "another credential than secret %s is in the address (%s); to allow it: "
			 "only = no "
			 "in [secret %s]",
			 swap->only->name, name, swap->only->name);
	return !name;
}

bool swap_head(const struct keyring *ring, const struct host *host, uint16_t port, const char *head,
	       const struct http_request *request, char *out, struct swapped *ret)
{
	static const char identity[] = "Accept-Encoding: identity\r\n\r\n";
	struct swap swap = { ring, host, port, out, ret, keyring_only(ring, host, port) };
	const char *at = head, *end = head + request->head;
	ret->used = 0;
	ret->length = ret->basic_length = 0;
	ret->why[0] = '\0';
	for (bool first = true; at < end; first = false) {
		size_t length =
			(size_t)((const char *)memchr(at, '\n', (size_t)(end - at)) - at) + 1;
		if (length == 2)
			break;
		if (first && !(check_free(&swap, at, length, "the address") &&
			       check_query(&swap, at, length)))
			return false;
		if (ret->length + length + sizeof(identity) + 2 > SWAP_HEAD_MAX) {
			snprintf(ret->why, sizeof(ret->why), "%s", "its head is too long");
			return false;
		}
		if (first)
			put(&swap, at, length);
		else if (!swap_line(&swap, at, length))
			return false;
		at += length;
	}
	put(&swap, identity, sizeof(identity) - 1);
	return true;
}
