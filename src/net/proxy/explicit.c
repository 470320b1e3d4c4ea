// Owns the first words of a client to the explicit proxy: HTTP or SOCKS, and what SOCKS is
// answered.
#include "net/proxy/explicit.h"

#include "net/parse/parse.h"
#include "net/proxy/deny.h"
#include "net/proxy/flow.h"
#include "net/proxy/route.h"

enum turn explicit_first(struct worker *worker, struct conn *conn)
{
	size_t length;
	const uint8_t *bytes = flow_unread(conn, &length);
	(void)worker;
	if (length == 0)
		return conn->flow[CLIENT].ended ? TURN_CLOSE : TURN_WAIT;
	conn->state = bytes[0] == SOCKS_VERSION ? CONN_GREETING : CONN_REQUEST;
	conn->socks = conn->state == CONN_GREETING;
	return TURN_MOVED;
}

enum turn explicit_greeting(struct worker *worker, struct conn *conn)
{
	static const uint8_t open_answer[] = { SOCKS_VERSION, 0 }, none[] = { SOCKS_VERSION, 0xff };
	size_t length, used;
	bool open;
	const uint8_t *bytes = flow_unread(conn, &length);
	enum parse result = socks_greeting(bytes, length, &used, &open);
	(void)worker;
	if (result == PARSE_MORE && !conn->flow[CLIENT].ended)
		return TURN_WAIT;
	if (result != PARSE_DONE)
		return TURN_CLOSE;
	flow_skip(&conn->flow[CLIENT], (uint32_t)used);
	flow_say(conn, open ? open_answer : none, sizeof(none));
	conn->state = open ? CONN_SOCKS : CONN_DRAIN;
	return TURN_MOVED;
}

enum turn explicit_socks(struct worker *worker, struct conn *conn)
{
	size_t length;
	struct socks_request request;
	const uint8_t *bytes = flow_unread(conn, &length);
	enum parse result = socks_request(bytes, length, &request);
	if (result == PARSE_MORE && !conn->flow[CLIENT].ended)
		return TURN_WAIT;
	if (result != PARSE_DONE)
		return deny_socks(worker, conn, SOCKS_FAILED);
	flow_skip(&conn->flow[CLIENT], (uint32_t)request.used);
	if (!request.connect)
		return deny_socks(worker, conn, SOCKS_NO_COMMAND);
	conn->state = CONN_DIAL;
	if (!route_to(worker, conn, &request.host, request.port))
		return deny_socks(worker, conn, SOCKS_DENIED);
	return TURN_MOVED;
}

enum turn explicit_dial(struct worker *worker, struct conn *conn)
{
	static const char connected[] = "HTTP/1.1 200 Connection established\r\n\r\n";
	static const uint8_t socks[] = { SOCKS_VERSION, SOCKS_OK, 0, 1, 0, 0, 0, 0, 0, 0 };
	(void)worker;
	if (conn->dialing != DIAL_OPEN)
		return TURN_WAIT;
	flow_say(conn, conn->socks ? (const void *)socks : connected,
		 conn->socks ? sizeof(socks) : sizeof(connected) - 1);
	conn->state = CONN_SNIFF;
	conn_read_anew(conn);
	conn->explicit_proxy = false; // from here on as if it had connected by itself
	return TURN_MOVED;
}
