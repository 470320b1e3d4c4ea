// Owns the exchange of placeholders for secrets in a request's head, and where they may be.
#include "secrets/dialogue/dialogue.h"

#include <stdio.h>
#include <string.h>

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
	struct piece name, value;
};

// Fields that would hide a secret in the answer, change the protocol, or are for a proxy.
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

static bool is_dropped(const struct swap *swap, const struct head_field *field)
{
	// With `only`, no credential but the secret passes. A file of the box may have another
	// account's cookie.
	if (swap->only && piece_is_alike(field->name, "cookie"))
		return true;
	for (size_t i = 0; i < sizeof(dropped) / sizeof(*dropped); i++)
		if (piece_is_alike(field->name, dropped[i]))
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
	if (!swap->only || field->value.length == 0 ||
	    !(is_credential_header(field->name) || secret_in_header(swap->only, field->name)))
		return true;
	snprintf(swap->to->why, sizeof(swap->to->why),
		 "another credential than secret %s is in the header %.*s; to allow it: only = no "
		 "in "
		 "[secret %s]",
		 swap->only->name, (int)(field->name.length < 32 ? field->name.length : 32),
		 field->name.at, swap->only->name);
	return false;
}

static const struct secret *find(struct swap *swap, const struct head_field *field,
				 const char *bytes, size_t length)
{
	for (unsigned i = 0; i < swap->ring->count; i++) {
		const struct secret *secret = &swap->ring->secrets[i];
		if (length == secret->length && memcmp(bytes, secret->placeholder, length) == 0 &&
		    secret_goes_to(&secret->rule, swap->host, swap->port) &&
		    secret_in_header(&secret->rule, field->name)) {
			swap->to->used |= 1U << i;
			return secret;
		}
	}
	return NULL;
}

// Swaps a placeholder that is the user or password of Basic. The length stays the same.
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
	if (strlen(again) != length) { // never: the decoder accepts canonical base64 only
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
	const char *value = field->value.at, *end = value + field->value.length;
	const char *space = memchr(value, ' ', field->value.length);
	if (piece_is_alike(field->name, "authorization") && space) {
		const struct piece word = { value, (size_t)(space - value) };
		unsigned scheme = 0;
		while (scheme < SCHEMES && !piece_is_alike(word, schemes[scheme]))
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
		 (int)(field->name.length < SECRET_HEADER_MAX ? field->name.length
							      : SECRET_HEADER_MAX),
		 field->name.at);
	if (!check_free(swap, value, (size_t)(end - value), where) || !check_only(swap, field))
		return false;
	put(swap, value, (size_t)(end - value));
	return true;
}

static bool swap_field(struct swap *swap, const struct head_field *field)
{
	if (!check_free(swap, field->name.at, field->name.length, "the name of a header"))
		return false;
	if (is_dropped(swap, field))
		return check_free(swap, field->value.at, field->value.length,
				  "a header that is left out");
	put(swap, field->name.at, field->name.length);
	put(swap, ": ", 2);
	if (!swap_value(swap, field))
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

static const char identity[] = "Accept-Encoding: identity\r\n\r\n";

static bool has_room(struct swap *swap, size_t length)
{
	if (swap->to->length + length + sizeof(identity) <= SWAP_HEAD_MAX)
		return true;
	snprintf(swap->to->why, sizeof(swap->to->why), "%s", "its head is too long");
	return false;
}

bool swap_head(const struct keyring *ring, const struct host *host, uint16_t port, const char *head,
	       const struct http_request *request, char *out, struct swapped *ret)
{
	struct swap swap = { ring, host, port, out, ret, keyring_only(ring, host, port) };
	struct piece rest = { head, request->head }, line = piece_until(&rest, '\n');
	struct head_field field;
	ret->used = 0;
	ret->length = ret->basic_length = 0;
	ret->why[0] = '\0';
	if (!check_free(&swap, line.at, line.length, "the address") ||
	    !check_query(&swap, line.at, line.length) || !has_room(&swap, line.length + 1))
		return false;
	put(&swap, line.at, line.length + 1);
	while (http_field(&rest, &field.name, &field.value))
		if (!has_room(&swap, field.name.length + field.value.length + 4) ||
		    !swap_field(&swap, &field))
			return false;
	put(&swap, identity, sizeof(identity) - 1);
	return true;
}
