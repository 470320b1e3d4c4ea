// Owns the detection of protocols by their first bytes.
#include "net/parse/parse.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

enum { LINE_BYTES_MAX = 12 * 1024 };

static const char ssh[] = "SSH-2.0-";

static enum parse begins(const uint8_t *bytes, size_t length, const char *word)
{
	size_t wanted = strlen(word), there = length < wanted ? length : wanted;
	if (strncasecmp((const char *)bytes, word, there) != 0)
		return PARSE_BAD;
	return there == wanted ? PARSE_DONE : PARSE_MORE;
}

enum opening opening_client(const uint8_t *bytes, size_t length)
{
	if (length == 0)
		return OPENING_MORE;
	if (bytes[0] == TLS_HANDSHAKE)
		return OPENING_TLS;
	enum parse is_ssh = begins(bytes, length, ssh);
	if (is_ssh != PARSE_BAD)
		return is_ssh == PARSE_DONE ? OPENING_SSH : OPENING_MORE;
	return is_token(bytes[0]) ? OPENING_HTTP : OPENING_OTHER;
}

// White space of the laxest reader, Python's str.split().
static bool is_space(uint8_t c)
{
	return (c >= '\t' && c <= '\r') || (c >= 0x1c && c <= ' ') || c == 0x85 || c == 0xa0;
}

enum parse opening_ssh(const uint8_t *line, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if ((line[i] < ' ' && line[i] != '\r') || line[i] > '~')
			return PARSE_BAD;
	return begins(line, length, ssh);
}

// Methods of llhttp and IANA's registry; "COL" covers MKCOL. A path is no proof of HTTP: FTP has
// "CWD /pub". Compares only the word's end: its first bytes may have come in an earlier burst.
static bool is_method(const uint8_t *bytes, size_t length)
{
	static const char *const rows[] = {
		"ACL",     "BIND",      "CALENDAR", "CHECKIN",     "CHECKOUT",   "COL",
		"CONNECT", "CONTROL",   "COPY",     "DELETE",      "GET",        "HEAD",
		"LABEL",   "LINK",      "LOCK",     "MERGE",       "MKACTIVITY", "MOVE",
		"NOTIFY",  "OPTIONS",   "PATCH",    "POST",        "PRI",        "PROPFIND",
		"PURGE",   "PUT",       "QUERY",    "REDIRECTREF", "REPORT",     "SEARCH",
		"SOURCE",  "SUBSCRIBE", "TRACE",    "UPDATE",      "WORKSPACE",
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		size_t size = strlen(rows[i]);
		if (size <= length && memcmp(bytes + length - size, rows[i], size) == 0)
			return true;
	}
	return false;
}

static enum parse is_target(const uint8_t *bytes, size_t length)
{
	if (length == 0)
		return PARSE_MORE;
	if (bytes[0] == '/')
		return PARSE_DONE;
	enum parse http = begins(bytes, length, "http://");
	return http == PARSE_BAD ? begins(bytes, length, "https://") : http;
}

static enum parse has_version(const uint8_t *bytes, size_t length, uint32_t *from)
{
	enum { WORD = 5 };
	for (size_t i = *from; i < length; i++) {
		if (bytes[i] == '\n' || (bytes[i] < ' ' && !is_space(bytes[i])))
			return PARSE_BAD;
		if (i > 0 && is_space(bytes[i - 1]) && length - i >= WORD && bytes[i + 4] == '/' &&
		    strncasecmp((const char *)bytes + i, "http", 4) == 0)
			return PARSE_DONE;
	}
	*from = length < WORD ? 0 : (uint32_t)length - (WORD - 1);
	return length < LINE_BYTES_MAX ? PARSE_MORE : PARSE_DONE;
}

static bool is_blank(uint8_t c)
{
	return is_space(c) && c != '\n';
}

static bool is_black(uint8_t c)
{
	return !is_space(c);
}

static size_t run_end(const uint8_t *bytes, size_t length, size_t at, uint32_t *end,
		      bool (*is)(uint8_t c))
{
	at = *end > at ? *end : at;
	while (at < length && is(bytes[at]))
		at++;
	*end = (uint32_t)at;
	return at;
}

enum opening opening_burst(const uint8_t *bytes, size_t length, struct opening_read *read)
{
	size_t start = run_end(bytes, length, 0, &read->start, is_space);
	if (start == length)
		return OPENING_MORE;
	if (bytes[start] == TLS_HANDSHAKE)
		return OPENING_TLS;
	size_t word = run_end(bytes, length, start, &read->word, is_token);
	if (word == start)
		return OPENING_OTHER;
	if (word == length)
		return word - start < LINE_BYTES_MAX ? OPENING_MORE : OPENING_HTTP;
	if (!is_blank(bytes[word]))
		return OPENING_OTHER;
	size_t target = run_end(bytes, length, word, &read->target, is_blank);
	enum parse found = is_method(bytes + start, word - start)
				   ? is_target(bytes + target, length - target)
				   : PARSE_BAD;
	if (found == PARSE_BAD)
		found = has_version(bytes + word, length - word, &read->version);
	return found == PARSE_DONE   ? OPENING_HTTP
	       : found == PARSE_MORE ? OPENING_MORE
				     : OPENING_OTHER;
}

// Whether a body begins like a request line: two words (HTTP/0.9), or three with "HTTP/..." last. A
// mail's text has another third word.
enum parse opening_body(const uint8_t *bytes, size_t length, struct opening_read *read)
{
	size_t start = run_end(bytes, length, 0, &read->start, is_space);
	size_t word = run_end(bytes, length, start, &read->word, is_token);
	if (start > LINE_BYTES_MAX)
		return PARSE_DONE;
	if (word > LINE_BYTES_MAX)
		return PARSE_BAD;
	if (word == length)
		return PARSE_MORE;
	if (word == start || !is_blank(bytes[word]))
		return PARSE_BAD;
	size_t target = run_end(bytes, length, word, &read->target, is_blank);
	if (target < length && bytes[target] == '\n')
		return PARSE_BAD;
	bool method = is_method(bytes + start, word - start);
	size_t end = run_end(bytes, length, target, &read->end, is_black);
	size_t version = run_end(bytes, length, end, &read->version, is_blank);
	if (method && is_target(bytes + target, length - target) == PARSE_DONE)
		return PARSE_DONE;
	if (version < length && bytes[version] == '\n')
		return method || bytes[target] == '/' ? PARSE_DONE : PARSE_BAD;
	enum parse last =
		version < length ? begins(bytes + version, length - version, "HTTP/") : PARSE_MORE;
	return last == PARSE_MORE && length > LINE_BYTES_MAX ? PARSE_DONE : last;
}

// MySQL's greeting: length (3 bytes), sequence 0, protocol 10, a digit of the server's version.
static enum parse is_mysql(const uint8_t *bytes, size_t length)
{
	enum { AT = 2, SIZE = 6 };
	static const uint8_t header[] = { 0, 0, 10 };
	size_t there = length < SIZE - 1 ? length : SIZE - 1;
	if (there > AT && memcmp(bytes + AT, header, there - AT) != 0)
		return PARSE_BAD;
	if (length < SIZE)
		return PARSE_MORE;
	return bytes[SIZE - 1] >= '0' && bytes[SIZE - 1] <= '9' ? PARSE_DONE : PARSE_BAD;
}

enum greeting opening_server(const uint8_t *bytes, size_t length)
{
	static const struct {
		const char *word;
		enum greeting greeting;
	} rows[] = {
		{ ssh, GREETING_SSH },
		{ "SSH-1.99-", GREETING_SSH },      // also speaks 2.0 (RFC 4253 5.1)
		{ "220 ", GREETING_KNOWN },         // SMTP, FTP
		{ "220-", GREETING_KNOWN },         // SMTP, FTP
		{ "+OK", GREETING_KNOWN },          // POP3
		{ "* OK", GREETING_KNOWN },         // IMAP
		{ "* PREAUTH", GREETING_KNOWN },    // IMAP
		{ "200 ", GREETING_KNOWN },         // NNTP
		{ "201 ", GREETING_KNOWN },         // NNTP
		{ "RFB 00", GREETING_KNOWN },       // VNC
		{ "INFO {", GREETING_KNOWN },       // NATS
		{ "( success ( ", GREETING_KNOWN }, // Subversion
		{ "OK MPD ", GREETING_KNOWN },      // Music Player Daemon
		{ "HTTP/", GREETING_LEAVING },
		{ "\x15\x03", GREETING_LEAVING },
	};
	bool more = length == 0;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		enum parse match = begins(bytes, length, rows[i].word);
		if (match == PARSE_DONE)
			return rows[i].greeting;
		more = more || match == PARSE_MORE;
	}
	enum parse mysql = is_mysql(bytes, length);
	if (mysql == PARSE_DONE)
		return GREETING_KNOWN;
	return more || mysql == PARSE_MORE ? GREETING_MORE : GREETING_OTHER;
}
