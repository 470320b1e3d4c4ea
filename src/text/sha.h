// The names that git gives to contents: SHA-1 and SHA-256 (FIPS 180-4). Pure.
#pragma once

#include <stddef.h>

enum { SHA1_BYTES = 20, SHA256_BYTES = 32 };

void sha1(const void *bytes, size_t length, unsigned char ret_name[SHA1_BYTES]);
void sha256(const void *bytes, size_t length, unsigned char ret_name[SHA256_BYTES]);
