// Owns the reading of HTTP/1 heads and chunks. Only CRLF ends a line.
#include "net/parse/parse.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/base.h"

enum { LINE_BYTES_MAX = 8192 };

struct fields {
	unsigned hosts, lengths, codings, upgrades;
	struct piece host, coding;
	uint64_t length;
	bool close, keep, upgrade;
};

bool is_token(uint8_t c)
{
	return isalnum(c) || (c && strchr("!#$%&'*+-.^_`|~", c));
}

static bool take_line(const char **at, const char *end, struct piece *ret, enum parse *ret_result)
{
	const char *newline = memchr(*at, '\n', (size_t)(end - *at));
	size_t there = (size_t)((newline ? newline : end) - *at);
	*ret_result = there > LINE_BYTES_MAX ? PARSE_BAD : PARSE_MORE;
	if (!newline)
		return false;
	*ret_result = PARSE_BAD;
	if (there == 0 || newline[-1] != '\r' || there > LINE_BYTES_MAX)
		return false;
	*ret = (struct piece){ *at, there - 1 };
	*at = newline + 1;
	// Refuses control characters: a bare CR ends a line for some readers, NUL for others.
	for (size_t i = 0; i < ret->length; i++)
		if ((unsigned char)ret->at[i] < ' ' && ret->at[i] != '\t')
			return false;
	return memchr(ret->at, 0x7f, ret->length) == NULL;
}

static bool has_word(struct piece list, const char *word)
{
	while (list.length > 0)
		if (piece_is_alike(piece_trimmed(piece_until(&list, ',')), word))
			return true;
	return false;
}

static bool note_field(struct fields *fields, struct piece name, struct piece value)
{
	unsigned long long length;
	if (piece_is_alike(name, "host")) {
		fields->hosts++;
		fields->host = value;
	} else if (piece_is_alike(name, "content-length")) {
		if (!str_number(value.at, value.length, 0, INT64_MAX, &length))
			return false;
		fields->lengths++;
		fields->length = length;
	} else if (piece_is_alike(name, "transfer-encoding")) {
		fields->codings++;
		fields->coding = value;
	} else if (piece_is_alike(name, "connection") || piece_is_alike(name, "proxy-connection")) {
		// A server drops the fields that Connection names (RFC 9110 7.6.1): these must
		// stay.
		if (has_word(value, "host") || has_word(value, "content-length") ||
		    has_word(value, "transfer-encoding"))
			return false;
		fields->close = fields->close || has_word(value, "close");
		fields->keep = fields->keep || has_word(value, "keep-alive");
	} else if (piece_is_alike(name, "upgrade")) {
		fields->upgrades++;
		fields->upgrade = piece_is_alike(value, "websocket");
	}
	return true;
}

// Refuses a leading space: obsolete folding.
static bool split_field(struct piece line, struct piece *name, struct piece *value)
{
	size_t length = 0;
	while (length < line.length && is_token((uint8_t)line.at[length]))
		length++;
	if (length == 0 || length == line.length || line.at[length] != ':')
		return false;
	*name = (struct piece){ line.at, length };
	*value = piece_trimmed((struct piece){ line.at + length + 1, line.length - length - 1 });
	return true;
}

bool http_field(struct piece *rest, struct piece *ret_name, struct piece *ret_value)
{
	struct piece line = piece_until(rest, '\n');
	line.length -= line.length > 0; // the CR
	return split_field(line, ret_name, ret_value);
}

static enum parse take_fields(const char **at, const char *end, struct fields *fields)
{
	struct piece line;
	enum parse result;
	while (take_line(at, end, &line, &result)) {
		if (line.length == 0)
			return PARSE_DONE;
		struct piece name, value;
		if (!split_field(line, &name, &value) || !note_field(fields, name, value))
			return PARSE_BAD;
	}
	return result;
}

static bool body_of(const struct fields *fields, enum http_body otherwise, enum http_body *ret_body,
		    uint64_t *ret_length)
{
	*ret_body = otherwise;
	*ret_length = 0;
	if (fields->codings > 1 || fields->lengths > 1 || (fields->codings && fields->lengths))
		return false;
	if (fields->codings && !piece_is_alike(fields->coding, "chunked"))
		return false;
	if (fields->codings)
		*ret_body = BODY_CHUNKED;
	else if (fields->lengths)
		*ret_body = fields->length ? BODY_LENGTH : BODY_NONE;
	*ret_length = fields->length;
	return true;
}

static bool parse_version(struct piece text, unsigned *ret_minor)
{
	if (text.length != 8 || memcmp(text.at, "HTTP/1.", 7) != 0 ||
	    (text.at[7] != '0' && text.at[7] != '1'))
		return false;
	*ret_minor = (unsigned)(text.at[7] - '0');
	return true;
}

static bool split_line(struct piece line, struct piece *method, struct piece *target,
		       struct piece *version)
{
	const char *first = memchr(line.at, ' ', line.length), *end = line.at + line.length;
	const char *second = first ? memchr(first + 1, ' ', (size_t)(end - first - 1)) : NULL;
	if (!second || first == line.at || second == first + 1)
		return false;
	*method = (struct piece){ line.at, (size_t)(first - line.at) };
	*target = (struct piece){ first + 1, (size_t)(second - first - 1) };
	*version = (struct piece){ second + 1, (size_t)(end - second - 1) };
	for (size_t i = 0; i < method->length; i++)
		if (!is_token((uint8_t)method->at[i]))
			return false;
	for (size_t i = 0; i < target->length; i++)
		if (target->at[i] <= ' ' || target->at[i] > '~')
			return false;
	return true;
}

// Refuses a user name in the URL: it hides the real host.
static bool parse_target(const char *bytes, struct piece target, struct http_request *request)
{
	size_t scheme = 0;
	request->target = request->path = (size_t)(target.at - bytes);
	if (request->connect) {
		request->absolute = request->has_host = true;
		return host_parse_port(target.at, target.length, &request->host, &request->port) &&
		       request->port;
	}
	if (target.at[0] == '/' || piece_is_alike(target, "*"))
		return true;
	if (target.length > 7 && strncasecmp(target.at, "http://", 7) == 0)
		scheme = 7;
	else if (target.length > 8 && strncasecmp(target.at, "https://", 8) == 0)
		scheme = 8;
	if (scheme == 0)
		return false;
	size_t authority = 0;
	while (scheme + authority < target.length && !strchr("/?#", target.at[scheme + authority]))
		authority++;
	request->absolute = request->has_host = true;
	request->secure = scheme == 8;
	request->path += scheme + authority;
	return host_parse_port(target.at + scheme, authority, &request->host, &request->port);
}

static bool check_host(const struct fields *fields, unsigned minor, struct http_request *request)
{
	struct host host;
	uint16_t port = 0;
	bool needed = !request->connect && (minor == 1 || request->absolute);
	if (fields->hosts > 1 || (fields->hosts == 0 && needed))
		return false;
	if (fields->hosts == 0)
		return true;
	if (!host_parse_port(fields->host.at, fields->host.length, &host, &port))
		return false;
	if (!request->absolute) {
		request->host = host;
		request->port = port;
		request->has_host = true;
		return true;
	}
	uint16_t standard = request->secure ? 443 : 80;
	uint16_t said = port ? port : request->connect ? request->port : standard;
	uint16_t meant = request->port ? request->port : standard;
	return host_equal(&host, &request->host) && said == meant;
}

bool http_has_end(const char *bytes, size_t length, uint32_t *searched)
{
	const char *end = bytes + length, *at = bytes + (*searched < 2 ? 0 : *searched - 2);
	*searched = (uint32_t)length;
	while ((at = memchr(at, '\n', (size_t)(end - at)))) {
		at++;
		const char *next = at < end && *at == '\r' ? at + 1 : at;
		if (next < end && *next == '\n')
			return true;
	}
	return false;
}

enum parse http_request(const char *bytes, size_t length, struct http_request *ret)
{
	struct http_request request = { 0 };
	struct fields fields = { 0 };
	struct piece line, method, target, version;
	const char *at = bytes;
	enum parse result;
	unsigned minor;
	if (!take_line(&at, bytes + length, &line, &result))
		return result;
	if (!split_line(line, &method, &target, &version) || !parse_version(version, &minor))
		return PARSE_BAD;
	request.connect = method.length == 7 && memcmp(method.at, "CONNECT", 7) == 0;
	request.asks_head = method.length == 4 && memcmp(method.at, "HEAD", 4) == 0;
	if (!parse_target(bytes, target, &request))
		return PARSE_BAD;
	result = take_fields(&at, bytes + length, &fields);
	if (result != PARSE_DONE)
		return result;
	if (!check_host(&fields, minor, &request) || fields.upgrades > 1 ||
	    !body_of(&fields, BODY_NONE, &request.body, &request.length))
		return PARSE_BAD;
	if ((minor == 0 && fields.codings) || (request.connect && request.body != BODY_NONE))
		return PARSE_BAD;
	request.head = (size_t)(at - bytes);
	request.keep_alive = minor == 1 ? !fields.close : fields.keep && !fields.close;
	request.upgrade = fields.upgrade;
	request.other_upgrade = fields.upgrades && !fields.upgrade;
	*ret = request;
	return PARSE_DONE;
}

enum parse http_response(const char *bytes, size_t length, bool asks_head,
			 struct http_response *ret)
{
	struct http_response response = { 0 };
	struct fields fields = { 0 };
	struct piece line;
	const char *at = bytes;
	enum parse result;
	unsigned minor;
	unsigned long long status;
	if (!take_line(&at, bytes + length, &line, &result))
		return result;
	if (line.length < 12 || !parse_version((struct piece){ line.at, 8 }, &minor) ||
	    line.at[8] != ' ' || !str_number(line.at + 9, 3, 100, 999, &status) ||
	    (line.length > 12 && line.at[12] != ' '))
		return PARSE_BAD;
	result = take_fields(&at, bytes + length, &fields);
	if (result != PARSE_DONE)
		return result;
	response.head = (size_t)(at - bytes);
	response.status = (unsigned)status;
	response.upgrade = fields.upgrade && fields.upgrades == 1;
	if (!body_of(&fields, BODY_UNTIL_CLOSE, &response.body, &response.length))
		return PARSE_BAD;
	if (asks_head || status < 200 || status == 204 || status == 304)
		response.body = BODY_NONE;
	response.keep_alive = response.body != BODY_UNTIL_CLOSE &&
			      (minor == 1 ? !fields.close : fields.keep && !fields.close);
	*ret = response;
	return PARSE_DONE;
}

static enum parse chunk_size(struct piece line, uint64_t *ret)
{
	uint64_t size = 0;
	size_t i = 0;
	for (; i < line.length && i < 16; i++) {
		const char *digit = memchr("0123456789abcdefABCDEF", line.at[i], 22);
		if (!digit)
			break;
		unsigned value = line.at[i] <= '9' ? (unsigned)(line.at[i] - '0')
						   : (unsigned)((line.at[i] | 0x20) - 'a' + 10);
		size = size << 4 | value;
	}
	if (i == 0 || size > INT64_MAX || (i < line.length && line.at[i] != ';') ||
	    memchr(line.at, ' ', line.length) || memchr(line.at, '\t', line.length))
		return PARSE_BAD;
	*ret = size;
	return PARSE_DONE;
}

// Refuses fields that belong to a head: some readers merge trailers into it (RFC 9110 6.5.1).
static bool is_trailer(struct piece line)
{
	struct piece name, value;
	struct fields fields = { 0 };
	return split_field(line, &name, &value) && note_field(&fields, name, value) &&
	       !fields.hosts && !fields.lengths && !fields.codings && !fields.upgrades;
}

enum parse http_chunk(const char *bytes, size_t length, enum http_chunk *at, size_t *ret_used,
		      uint64_t *ret_data)
{
	struct piece line;
	const char *next = bytes;
	enum parse result;
	*ret_data = 0;
	if (!take_line(&next, bytes + length, &line, &result))
		return result;
	*ret_used = (size_t)(next - bytes);
	switch (*at) {
	case CHUNK_SIZE:
		if (chunk_size(line, ret_data) != PARSE_DONE)
			return PARSE_BAD;
		*at = *ret_data ? CHUNK_DATA : CHUNK_TRAILER;
		return PARSE_DONE;
	case CHUNK_DATA:
	case CHUNK_END:
		*at = CHUNK_SIZE;
		return line.length == 0 ? PARSE_DONE : PARSE_BAD;
	case CHUNK_TRAILER:
		if (line.length > 0 && !is_trailer(line))
			return PARSE_BAD;
		*at = line.length == 0 ? CHUNK_DONE : CHUNK_TRAILER;
		return PARSE_DONE;
	case CHUNK_DONE:
		break;
	}
	return PARSE_BAD;
}

size_t http_rewrite(const char *from, const struct http_request *request, const char *place,
		    const char *field, char *to)
{
	struct piece rest = { from + request->path, request->head - request->path };
	char *put = mempcpy(mempcpy(to, from, request->target), place, strlen(place));
	if (request->path > request->target && *rest.at != '/')
		*put++ = '/';
	struct piece line = piece_until(&rest, '\n');
	put = mempcpy(mempcpy(put, line.at, line.length + 1), field, strlen(field));
	while (rest.length > 0) {
		struct piece name, value, next = rest;
		bool drop = http_field(&next, &name, &value) &&
			    (strncasecmp(name.at, "proxy-", strlen("proxy-")) == 0 ||
			     (request->other_upgrade && (piece_is_alike(name, "upgrade") ||
							 piece_is_alike(name, "http2-settings"))));
		put = mempcpy(put, rest.at, drop ? 0 : (size_t)(next.at - rest.at));
		rest = next;
	}
	return (size_t)(put - to);
}
