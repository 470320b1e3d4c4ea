// Owns the moving of bytes between a client and a server.

#include "net/proxy/flow.h"

#include <errno.h>
#include <string.h>

#include "net/proxy/conn_record.h"
#include "net/proxy/worker_state.h"

bool flow_empty(const struct flow *flow)
{
	return flow->start == flow->cleared;
}

void flow_clear(struct flow *flow, uint64_t bytes)
{
	uint32_t here = flow->end - flow->cleared;
	if (bytes == UNLIMITED_PASS) {
		flow->cleared = flow->end;
		flow->allowance = UNLIMITED_PASS;
		return;
	}
	uint32_t part = bytes < here ? (uint32_t)bytes : here;
	flow->cleared += part;
	flow->allowance = bytes - part;
}

void flow_skip(struct flow *flow, uint32_t bytes)
{
	flow->start += bytes;
	flow->cleared = flow->start;
}

void flow_say(struct conn *conn, const void *bytes, size_t length)
{
	struct flow *flow = &conn->flow[SERVER];
	if (flow->start == flow->end)
		flow->start = flow->cleared = flow->end = 0;
	if (flow->end > BUFFER_SIZE || length > BUFFER_SIZE - flow->end)
		return;
	memcpy(conn->bytes[SERVER] + flow->end, bytes, length);
	flow->end += (uint32_t)length;
	flow->cleared = flow->end;
}

// Returns the first byte that a reader needs. Kept bytes have passed, and are read again with later
// ones.
static uint32_t first_needed(const struct conn *conn, enum peer_side from)
{
	uint32_t start = conn->flow[from].start;
	return from == CLIENT && conn->keeping && conn->kept < start ? conn->kept : start;
}

// Returns how far to fill the buffer. A bulk buffer is only for bytes that no parser reads.
static uint32_t fill_most(struct worker *worker, const struct conn *conn, enum peer_side from)
{
	if (conn_is_lent(worker, conn, from) && conn->flow[from].allowance >= BULK_BYTES)
		return BULK_BYTES;
	bool large = worker->held[conn_index(worker, conn)].held == HELD_LARGE ||
		     worker->large_count < LARGE_MAX;
	return large ? BUFFER_SIZE : SMALL_BYTES;
}

static ssize_t receive(struct worker *worker, struct conn *conn, enum peer_side from)
{
	struct flow *flow = &conn->flow[from];
	uint32_t base = first_needed(conn, from);
	// A connection with a budget gets no bulk buffer: its bytes count in small steps before
	// they pass.
	if (base == flow->end)
		conn_lend(worker, conn, from,
			  flow->full && flow->allowance >= BULK_BYTES && !conn->budgets);
	uint32_t most = fill_most(worker, conn, from);
	// Moves the needed bytes, also kept ones, to the beginning of the buffer.
	if (base > 0 && (base == flow->end || flow->end >= most)) {
		memmove(conn->bytes[from], conn->bytes[from] + base, flow->end - base);
		flow->start -= base;
		flow->cleared -= base;
		flow->end -= base;
		if (from == CLIENT) {
			conn->kept -= conn->keeping ? base : 0;
			conn->request_at -= conn->request_like ? base : 0;
			conn->request_next -= conn->request_like ? base : 0;
		}
	}
	size_t room = most > flow->end ? most - flow->end : 0;
	if (room == 0) {
		conn->paused = worker->any_paused = true;
		errno = EINTR;
		return -1;
	}
	ssize_t got = recv(conn->fd[from], conn->bytes[from] + flow->end, room, MSG_DONTWAIT);
	if (got > 0) {
		uint64_t pass = flow->cleared == flow->end ? flow->allowance : 0;
		flow->end += (uint32_t)got;
		flow->full = (size_t)got == room || got >= BUFFER_SIZE;
		conn_hold(worker, conn, flow->end > SMALL_BYTES);
		// A read of less than `room` has emptied the socket.
		if ((size_t)got < room && !conn->closing[from])
			conn->readable[from] = false;
		if (pass)
			flow_clear(flow, pass);
	}
	return got;
}

enum turn flow_read(struct worker *worker, struct conn *conn, enum peer_side from)
{
	struct flow *flow = &conn->flow[from];
	uint32_t most =
		conn_is_lent(worker, conn, from) ? fill_most(worker, conn, from) : BUFFER_SIZE;
	bool room = flow->end < most || first_needed(conn, from) > 0;
	if (conn->fd[from] < 0 || !conn->readable[from] || flow->ended || !room)
		return TURN_WAIT;
	ssize_t got = receive(worker, conn, from);
	if (got > 0)
		return record_bytes(worker, conn, from, (uint64_t)got);
	if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
		conn->readable[from] = errno == EINTR;
		return TURN_WAIT;
	}
	flow->ended = true;
	return got < 0 ? TURN_RESET : TURN_MOVED;
}

enum turn flow_write(struct worker *worker, struct conn *conn, enum peer_side from)
{
	struct flow *flow = &conn->flow[from];
	enum peer_side to = from == CLIENT ? SERVER : CLIENT;
	enum turn turn = TURN_WAIT;
	// Bytes for the client wait until the connection's owner is known. Bytes for the server
	// wait until the upstream proxy has answered.
	if (from == SERVER ? conn->held : conn->dialing != DIAL_OPEN)
		return TURN_WAIT;
	while (!flow_empty(flow) && conn->fd[to] >= 0 && conn->writable[to]) {
		ssize_t put = send(conn->fd[to], conn->bytes[from] + flow->start,
				   flow->cleared - flow->start, MSG_DONTWAIT | MSG_NOSIGNAL);
		if (put < 0 && errno == EAGAIN) {
			conn_await_room(worker, conn, to);
			break;
		}
		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			return TURN_RESET;
		turn = TURN_MOVED;
		flow->start += (uint32_t)put;
	}
	if (flow->ended && !flow->shut && flow_empty(flow) && flow->cleared == flow->end &&
	    flow->allowance == UNLIMITED_PASS && conn->fd[to] >= 0 && conn->dialing == DIAL_OPEN) {
		if (!conn->flow[to].shut)
			shutdown(conn->fd[to], SHUT_WR);
		flow->shut = true;
		return TURN_MOVED;
	}
	return turn;
}

const uint8_t *flow_unread(const struct conn *conn, size_t *ret_length)
{
	const struct flow *flow = &conn->flow[CLIENT];
	uint32_t at = conn->keeping ? conn->kept : flow->start;
	*ret_length = flow->end - at;
	return (const uint8_t *)conn->bytes[CLIENT] + at;
}
