// Owns refusals in the client's protocol: a program sees the reason, not a broken network.
#include "net/proxy/deny.h"

#include <stdio.h>
#include <string.h>

#include "net/parse/parse.h"
#include "net/proxy/dial.h"
#include "net/proxy/flow.h"
#include "net/proxy/conn_record.h"
#include "net/proxy/syn.h"
#include "net/proxy/worker_state.h"

enum { SILENT_MILLISECONDS = 300, HALF_MILLISECONDS = 800, DRAIN_MILLISECONDS = 1000 };

static void drain(struct worker *worker, struct conn *conn)
{
	conn->state = CONN_DRAIN;
	conn_close_server(conn);
	conn_deadline(worker, conn, DRAIN_MILLISECONDS);
	conn->flow[SERVER].end = conn->flow[SERVER].cleared;
	conn->keeping = false;
	conn->flow[CLIENT].start = conn->flow[CLIENT].cleared = conn->flow[CLIENT].end = 0;
}

const char *deny_other(const struct worker *worker, struct conn *conn, const char *why,
		       const struct host *host, uint16_t port)
{
	enum { SHOWN = 60 };
	char name[HOST_NAME_BYTES_MAX + 1], number[8] = "";
	host_text(host, name);
	size_t length = strlen(name);
	if (resolv_same(&worker->resolv, host, &conn->host))
		snprintf(number, sizeof(number), ":%u", port);
	snprintf(conn->problem, sizeof(conn->problem), "%s, %s%s%s", why,
		 length > SHOWN ? "..." : "", name + (length > SHOWN ? length - SHOWN : 0), number);
	return conn->problem;
}

enum turn deny_begin(struct worker *worker, struct conn *conn, const char *why)
{
	if (why != conn->problem)
		snprintf(conn->problem, sizeof(conn->problem), "%s", why);
	conn_read_anew(conn);
	conn_close_server(conn);
	if (conn->state == CONN_SYN)
		return syn_deny(worker, conn);
	conn->state = CONN_DENY;
	conn_deadline(worker, conn, SILENT_MILLISECONDS);
	return TURN_MOVED;
}

enum turn deny_refuse(struct worker *worker, struct conn *conn, const char *why, enum fix fix)
{
	record_conn(worker, conn, VERDICT_DENIED, "", why, fix);
	return deny_begin(worker, conn, why);
}

static const char *phrase(int status)
{
	switch (status) {
	case 400:
		return "Bad Request";
	case 403:
		return "Forbidden";
	case 502:
		return "Bad Gateway";
	case 503:
		return "Service Unavailable";
	default:
		return "Error";
	}
}

enum turn deny_http(struct worker *worker, struct conn *conn, int status)
{
	char host[HOST_NAME_BYTES_MAX + 1], fix[HOST_NAME_BYTES_MAX + 64] = "", body[1024],
								      head[1024];
	host_text(&conn->host, host);
	if (status == 403 && conn->recorded && conn->record.fix == FIX_RULE)
		dial_place(conn, fix);
	int length = snprintf(body, sizeof(body),
			      "{\"version\":1,\"form\":\"blocked\",\"error\":\"%s\","
			      "\"host\":\"%s\",\"port\":%u,\"reason\":\"%s\"%s%s%s}\n",
			      status == 403 ? "blocked by sbx" : "sbx could not do this", host,
			      conn->port, conn->problem, *fix ? ",\"fix\":\"sbx run --allow " : "",
			      fix, *fix ? "\"" : "");
	int used = snprintf(
		head, sizeof(head),
		"HTTP/1.1 %d %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n"
		"Connection: close\r\n%s%s%s\r\n",
		status, phrase(status), length, *fix ? "x-sbx-blocked: allow = " : "",
		*fix            ? fix
		: status == 403 ? "x-sbx-blocked: refused"
				: "",
		*fix || status == 403 ? "\r\n" : "");
	drain(worker, conn);
	flow_say(conn, head, (size_t)used);
	if (!conn->asks_head)
		flow_say(conn, body, (size_t)length);
	return TURN_MOVED;
}

enum turn deny_socks(struct worker *worker, struct conn *conn, int reply)
{
	uint8_t answer[] = { SOCKS_VERSION, (uint8_t)reply, 0, 1, 0, 0, 0, 0, 0, 0 };
	drain(worker, conn);
	flow_say(conn, answer, sizeof(answer));
	return TURN_MOVED;
}

enum turn deny_run(struct worker *worker, struct conn *conn)
{
	const struct flow *flow = &conn->flow[CLIENT];
	bool denied = conn->recorded && conn->record.verdict == VERDICT_DENIED;
	size_t length;
	const uint8_t *bytes = flow_unread(conn, &length);
	if (length == 0 && !flow->ended)
		return TURN_WAIT;
	if (length > 0 && bytes[0] == TLS_HANDSHAKE) {
		uint8_t alert[sizeof(tls_denied)];
		enum { INTERNAL_ERROR = 80 };
		memcpy(alert, tls_denied, sizeof(alert));
		if (!denied)
			alert[sizeof(alert) - 1] = INTERNAL_ERROR;
		drain(worker, conn);
		flow_say(conn, alert, sizeof(alert));
		return TURN_MOVED;
	}
	enum opening opening =
		length ? opening_burst(bytes, length, &conn->opening) : OPENING_OTHER;
	if (opening == OPENING_HTTP)
		return deny_http(worker, conn, denied ? 403 : 502);
	if (opening == OPENING_MORE && !flow->ended) {
		if (conn->heard[CLIENT])
			conn_deadline(worker, conn, HALF_MILLISECONDS);
		return TURN_WAIT;
	}
	return TURN_RESET;
}

enum turn deny_failed(struct worker *worker, struct conn *conn)
{
	if (conn->unlisted)
		record_conn(worker, conn, VERDICT_DENIED, "", "not in the allowlist", FIX_RULE);
	else
		record_conn(worker, conn, VERDICT_FAILED, conn->rule.text, conn->problem, FIX_NONE);
	if (conn->state == CONN_DIAL && conn->socks)
		return deny_socks(worker, conn, SOCKS_UNREACHABLE);
	if (conn->state == CONN_DIAL || conn->state == CONN_REQUEST || conn->state == CONN_EXCHANGE)
		return deny_http(worker, conn, conn->unlisted ? 403 : 502);
	return deny_begin(worker, conn, conn->problem);
}

enum turn deny_drain(struct worker *worker, struct conn *conn)
{
	struct flow *in = &conn->flow[CLIENT];
	(void)worker;
	in->start = in->cleared = in->end = 0;
	return TURN_WAIT;
}

// Shuts down only writing: close(2) with unread bytes would send a reset, which discards the
// refusal.
enum turn deny_drained(struct worker *worker, struct conn *conn)
{
	struct flow *out = &conn->flow[SERVER];
	(void)worker;
	if (flow_empty(out) && !out->shut) {
		shutdown(conn->fd[CLIENT], SHUT_WR);
		out->shut = true;
	}
	return conn->flow[CLIENT].ended && out->shut ? TURN_CLOSE : TURN_WAIT;
}
