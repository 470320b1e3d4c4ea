// HTTP/1.1 heads and framing (RFC 9110, 9112), strictly: what two readers could take in two ways
// is bad. Pure. Rule 29.
#pragma once

#include "net/parse/parse.h"
#include "text/host.h"

enum http_body { BODY_NONE, BODY_LENGTH, BODY_CHUNKED, BODY_UNTIL_CLOSE };

struct http_request {
	size_t head;             // bytes up to and including the empty line
	bool connect, asks_head; // the methods CONNECT and HEAD
	bool absolute;           // http://host/path, or CONNECT's host:port
	bool secure;             // the absolute form says https
	bool has_host;           // `host` and `port` (0: none given) are set
	struct host host;
	uint16_t port;
	size_t target, path; // offsets: of the target, and of the path in an absolute one
	bool keep_alive;
	bool upgrade, other_upgrade; // to websocket; to anything else
	enum http_body body;
	uint64_t length;
};

struct http_response {
	size_t head;
	unsigned status;
	bool keep_alive;
	bool upgrade; // to websocket and nothing else
	enum http_body body;
	uint64_t length;
};

enum { HTTP_HEAD_MAX = 16 * 1024 };

// Whether these bytes hold the end of a head, as the laxest reader finds it: an empty line. Only
// what follows the first `searched` bytes is searched; they become all.
bool http_has_end(const char *bytes, size_t length, uint32_t *searched);
enum parse http_request(const char *bytes, size_t length, struct http_request *ret);
// `asks_head`: the response to HEAD has no body.
enum parse http_response(const char *bytes, size_t length, bool asks_head,
			 struct http_response *ret);

// Chunked coding: where a reader of the body is.
enum http_chunk { CHUNK_SIZE, CHUNK_DATA, CHUNK_END, CHUNK_TRAILER, CHUNK_DONE };
// Reads one line of the coding: its bytes, and for CHUNK_SIZE the data that follows.
enum parse http_chunk(const char *bytes, size_t length, enum http_chunk *at, size_t *ret_used,
		      uint64_t *ret_data);

// Copies the head for a server: path instead of the absolute form, without what was meant for the
// proxy, and without an upgrade to another word than websocket. `to` holds as much as `from`.
// Returns the bytes written.
size_t http_rewrite(const char *from, const struct http_request *request, char *to);
