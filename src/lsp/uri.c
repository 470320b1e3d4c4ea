// Owns the reading of URIs of a language server (RFC 3986, RFC 8089).
#include "lsp/lsp.h"

#include <string.h>
#include <strings.h>

#include "base/base.h"

static int hex(char byte)
{
	if (byte >= '0' && byte <= '9')
		return byte - '0';
	byte |= ' ';
	return byte >= 'a' && byte <= 'f' ? byte - 'a' + 10 : -1;
}

// Percent-decoded, once.
static bool decode(const char *text, size_t length, char path[PATH_MAX])
{
	size_t used = 0;
	for (size_t i = 0; i < length; i++) {
		char byte = text[i];
		if (used + 1 >= PATH_MAX || byte == '?' || byte == '#')
			return false;
		if (byte == '%') {
			int high = i + 2 < length ? hex(text[i + 1]) : -1;
			int low = i + 2 < length ? hex(text[i + 2]) : -1;
			if (high < 0 || low < 0)
				return false;
			byte = (char)(high << 4 | low);
			i += 2;
		}
		if (byte == '\0')
			return false;
		path[used++] = byte;
	}
	path[used] = '\0';
	return true;
}

static bool is_clean(char *path)
{
	size_t length = strlen(path);
	for (const char *at = path; *at; at += str_sequence(at))
		if (str_sequence(at) == 0)
			return false;
	if (!str_printable(path) || strchr(path, '\t') || strchr(path, '\n') || path[0] != '/')
		return false;
	if (length > 1 && path[length - 1] == '/')
		path[--length] = '\0';
	for (const char *part = path; part; part = strchr(part + 1, '/')) {
		size_t size = strcspn(part + 1, "/");
		if (size == 0 || (part[1] == '.' && (size == 1 || (size == 2 && part[2] == '.'))))
			return false;
	}
	return true;
}

bool uri_path(const char *uri, size_t length, char ret_path[PATH_MAX])
{
	static const char scheme[] = "file://";
	size_t begin = strlen(scheme);
	return length > begin && strncasecmp(uri, scheme, begin) == 0 &&
	       decode(uri + begin, length - begin, ret_path) && is_clean(ret_path);
}

bool uri_is_plain_link(const char *uri, size_t length)
{
	static const char *const schemes[] = { "file", "http", "https", "mailto" };
	size_t end = 0;
	while (end < length && uri[end] && !strchr(":/?#", uri[end]))
		end++;
	if (end == length || uri[end] != ':')
		return end == length || uri[end] != '\0';
	for (size_t i = 0; i < sizeof(schemes) / sizeof(*schemes); i++)
		if (strlen(schemes[i]) == end && strncasecmp(uri, schemes[i], end) == 0)
			return true;
	return false;
}
