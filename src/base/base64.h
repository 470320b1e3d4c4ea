// Base64 (RFC 4648) of the user part of a URL, whose %XX are resolved first (RFC 3986).
#pragma once

#include <stddef.h>

// Cut where `size` ends.
void base64_url_user(const char *text, size_t length, char *encoded, size_t size);
