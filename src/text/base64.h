// Base64 (RFC 4648): of bytes, and of the user part of a URL, whose %XX are resolved first (RFC
// 3986).
#pragma once

#include <stddef.h>

// Cut where `size` ends.
void base64_url_user(const char *text, size_t length, char *encoded, size_t size);

// Of bytes, whole; "" where it does not fit.
void base64_encode(const unsigned char *bytes, size_t length, char *encoded, size_t size);

// The bytes of a text with its filling; 0 when it is none, empty, or more than `size`.
size_t base64_decode(const char *text, size_t length, unsigned char *bytes, size_t size);
