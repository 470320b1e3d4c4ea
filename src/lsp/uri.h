// The path that a file: URI names, as editors read it. Pure.
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

// False for all that editors could read in two ways: another scheme, an authority, a query or
// fragment, "." and ".." and empty components, bytes that are no UTF-8 or control a terminal. A
// slash at the end is left out.
bool uri_path(const char *uri, size_t length, char ret_path[PATH_MAX]);

// What an editor may open by a link that a user clicks: a file, the web, mail; also a text that
// names no scheme.
bool uri_is_plain_link(const char *uri, size_t length);
