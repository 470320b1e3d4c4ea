// Reading of SSH's binary forms (RFC 4251, section 5) from hostile bytes. Pure.
//
// The room sshagent owns the filter before the caller's ssh-agent. Uses: base net/setup nouns
// outside report text view/paths. Begin with signing.h.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// What is left of a message. Each read takes from its beginning, or returns false and takes
// nothing.
struct wire {
	const uint8_t *at;
	size_t left;
};

// The bytes of a string; they stay where they are.
struct wire_string {
	const uint8_t *bytes;
	size_t length;
};

bool wire_byte(struct wire *wire, uint8_t *ret_byte);
bool wire_number(struct wire *wire, uint32_t *ret_number);
bool wire_string(struct wire *wire, struct wire_string *ret_string);

bool wire_is(const struct wire_string *string, const char *text);
bool wire_same(const struct wire_string *one, const struct wire_string *other);

void wire_put_number(uint8_t bytes[4], uint32_t number);
