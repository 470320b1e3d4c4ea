// SHA-1 and SHA-256 (FIPS 180-4), by which git names contents.
#pragma once

#include <stddef.h>

enum { SHA1_BYTES = 20, SHA256_BYTES = 32 };

void sha1(const void *bytes, size_t length, unsigned char ret_name[SHA1_BYTES]);
void sha256(const void *bytes, size_t length, unsigned char ret_name[SHA256_BYTES]);

// Encodes the user part of a URL in base64 (RFC 4648), with %XX decoded (RFC 3986).

void base64_url_user(const char *text, size_t length, char *encoded, size_t size);

// Writes "" if it does not fit.
void base64_encode(const unsigned char *bytes, size_t length, char *encoded, size_t size);

// Returns the length, or 0: not base64, empty, or more than `size`.
size_t base64_decode(const char *text, size_t length, unsigned char *bytes, size_t size);
