// Owns the array of struct conn. Index and generation identify a connection.

#include "net/proxy/conn.h"

#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>

#include "base/fd.h"
#include "net/proxy/conn_record.h"
#include "net/proxy/worker_state.h"
#include "net/setup/netns.h"

struct conn *conn_at(const struct worker *worker, uint32_t index)
{
	struct conn *conn = index < worker->used ? &worker->conns[index] : NULL;
	return conn && conn->state != CONN_FREE && conn->state != CONN_ENDED ? conn : NULL;
}

struct conn *conn_accept(struct worker *worker, int fd)
{
	if (worker->free_count == 0 && worker->used == CONNS_MAX)
		return NULL;
	uint32_t index = worker->free_count ? worker->free[--worker->free_count] : worker->used++;
	struct conn *conn = &worker->conns[index];
	memset(conn, 0, sizeof(*conn));
	conn->generation = ++worker->generation;
	for (int side = CLIENT; side <= SERVER; side++) // no bulk buffers
		conn->bytes[side] = worker->buffers[2 * index + (uint32_t)side];
	conn->fd[CLIENT] = fd;
	conn->fd[SERVER] = conn->attempt[0] = conn->attempt[1] = -1;
	conn->inside[0] = conn->inside[1] = -1;
	worker->live++;
	return conn;
}

static void watch(struct worker *worker, struct conn *conn, enum peer_side side, int operation,
		  uint32_t more)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLRDHUP | EPOLLET | more };
	event.data.u64 = conn_tag(side == CLIENT ? TAG_CLIENT : TAG_SERVER,
				  conn_index(worker, conn), conn->generation);
	if (!worker->watches_nobody &&
	    epoll_ctl(worker->epoll, operation, conn->fd[side], &event) == 0)
		return;
	conn->unwatched = true;
	conn_wake(worker, conn);
}

// Assumes that the socket is writable. conn_await_room() asks for an event when it is full.
void conn_watch(struct worker *worker, struct conn *conn, enum peer_side side, enum watched watched)
{
	conn->writable[side] = true;
	watch(worker, conn, side, watched == WATCHED_ALREADY ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, 0);
}

void conn_await_room(struct worker *worker, struct conn *conn, enum peer_side side)
{
	conn->writable[side] = false;
	// EPOLL_CTL_MOD reports a socket that is ready already: no edge is lost.
	if (!conn->awaits_room[side])
		watch(worker, conn, side, EPOLL_CTL_MOD, EPOLLOUT);
	conn->awaits_room[side] = true;
}

void conn_wake(struct worker *worker, struct conn *conn)
{
	if (conn->queued)
		return;
	conn->queued = true;
	worker->queue[worker->queue_count++] = conn_index(worker, conn);
}

void conn_deadline(struct worker *worker, struct conn *conn, int milliseconds)
{
	if (conn->deadline && !milliseconds)
		worker->deadlines--;
	if (!conn->deadline && milliseconds)
		worker->deadlines++;
	conn->deadline = milliseconds ? worker->now + milliseconds : 0;
}

void conn_read_anew(struct conn *conn)
{
	conn->opening = (struct opening_read){ 0 };
	conn->hello_needs = conn->hello_count = conn->hello_searched = 0;
	conn->head[CLIENT] = conn->head[SERVER] = (struct head_read){ 0 };
}

void conn_stop_dialing(struct conn *conn)
{
	fd_close(&conn->attempt[0]);
	fd_close(&conn->attempt[1]);
	fd_close(&conn->inside[0]);
	fd_close(&conn->inside[1]);
	conn->lookup = NULL;
}

void conn_close_server(struct conn *conn)
{
	conn_stop_dialing(conn);
	fd_close(&conn->fd[SERVER]);
	conn->readable[SERVER] = conn->writable[SERVER] = conn->closing[SERVER] =
		conn->awaits_room[SERVER] = false;
	conn->flow[SERVER].ended = conn->flow[SERVER].shut = conn->flow[CLIENT].shut = false;
	conn->flow[SERVER].allowance = 0;
	conn->dialing = DIAL_NONE;
}

static bool is_free(const struct conn *conn)
{
	return conn->state == CONN_FREE && !conn->queued;
}

static bool is_quiet(const struct conn *conn)
{
	return conn->flow[CLIENT].start == conn->flow[CLIENT].end &&
	       conn->flow[SERVER].start == conn->flow[SERVER].end && !conn->keeping;
}

// Gives whole pages of free entries back to the kernel. Freed entries read as zeros: CONN_FREE.
static void drop_conns(struct worker *worker, uint32_t from, uint32_t to)
{
	enum { PAGE = 4096 };
	uintptr_t begin = (uintptr_t)&worker->conns[from], end = (uintptr_t)&worker->conns[to];
	size_t skip = (PAGE - begin % PAGE) % PAGE, rest = end % PAGE;
	if (end - begin > skip + rest)
		madvise((char *)&worker->conns[from] + skip, end - begin - skip - rest,
			MADV_DONTNEED);
}

static void give_back(struct worker *worker, uint32_t from, uint32_t to)
{
	madvise(worker->buffers + 2 * from, (to - from) * 2 * (size_t)BUFFER_SIZE, MADV_DONTNEED);
	for (uint32_t i = from; i < to; i++) {
		worker->held_count -= worker->held[i].held != HELD_NOTHING;
		worker->large_count -= worker->held[i].held == HELD_LARGE;
		worker->held[i].held = HELD_NOTHING;
	}
}

void conn_sweep(struct worker *worker)
{
	worker->next_sweep = worker->now + SWEEP_MILLISECONDS;
	if (worker->bulk_written && !worker->bulk_lent) {
		madvise(worker->bulk, BULK_MAX * (size_t)BULK_BYTES, MADV_DONTNEED);
		worker->bulk_written = false;
	}
	for (uint32_t i = 0, next; i < worker->used && worker->held_count > SWEEP_LEAST; i = next) {
		unsigned before = worker->held_count;
		for (next = i; next < worker->used && is_free(&worker->conns[next]); next++)
			before -= worker->held[next].held != HELD_NOTHING;
		if (before != worker->held_count) {
			give_back(worker, i, next);
			drop_conns(worker, i, next);
		}
		if (next > i)
			continue;
		struct held_bytes *held = &worker->held[next++];
		if (held->held && !held->used && is_quiet(&worker->conns[i]))
			give_back(worker, i, next);
		held->used = false;
	}
}

void conn_hold(struct worker *worker, const struct conn *conn, bool large)
{
	struct held_bytes *held = &worker->held[conn_index(worker, conn)];
	held->used = true;
	worker->held_count += held->held == HELD_NOTHING;
	worker->large_count += large && held->held != HELD_LARGE;
	held->held = large ? HELD_LARGE : held->held ? held->held : HELD_SMALL;
}

bool conn_is_lent(const struct worker *worker, const struct conn *conn, enum peer_side side)
{
	return conn->bytes[side] != worker->buffers[2 * conn_index(worker, conn) + side];
}

void conn_lend(struct worker *worker, struct conn *conn, enum peer_side side, bool bulk)
{
	if (bulk == conn_is_lent(worker, conn, side) || (bulk && worker->bulk_lent == UINT64_MAX))
		return;
	unsigned at = bulk ? (unsigned)__builtin_ctzll(~worker->bulk_lent)
			   : (unsigned)((conn->bytes[side] - worker->bulk[0]) / BULK_BYTES);
	worker->bulk_lent ^= UINT64_C(1) << at;
	worker->bulk_written = true;
	conn->bytes[side] =
		bulk ? worker->bulk[at] : worker->buffers[2 * conn_index(worker, conn) + side];
}

static uint64_t token_of(const struct worker *worker, const struct conn *conn)
{
	return conn_tag(TAG_CLIENT, conn_index(worker, conn), conn->generation);
}

// Keeps the client's descriptor open until the supervisor has found its owner.
static void park(struct worker *worker, struct conn *conn)
{
	for (int i = 0; i < PARKED_MAX && conn->held && conn->fd[CLIENT] >= 0; i++) {
		struct parked *parked = &worker->parked[i];
		if (parked->held)
			continue;
		epoll_ctl(worker->epoll, EPOLL_CTL_DEL, conn->fd[CLIENT], NULL);
		*parked = (struct parked){ token_of(worker, conn), conn->held,
					   take(&conn->fd[CLIENT]) };
		conn->held = 0;
	}
}

void conn_seen(struct worker *worker, uint64_t token)
{
	uint32_t index = (uint32_t)token;
	struct conn *conn = index < worker->used ? &worker->conns[index] : NULL;
	for (int i = 0; i < PARKED_MAX; i++) {
		struct parked *parked = &worker->parked[i];
		if (parked->held && parked->token == token && --parked->held == 0)
			fd_close(&parked->fd);
	}
	if (!conn || !conn->held || token_of(worker, conn) != token || --conn->held > 0)
		return;
	conn_wake(worker, conn);
}

void conn_end(struct worker *worker, struct conn *conn, enum turn how)
{
	conn->state = CONN_ENDED;
	conn->end = how;
	worker->ended[worker->ended_count++] = conn_index(worker, conn);
}

void conn_free(struct worker *worker, struct conn *conn)
{
	struct linger now = { .l_onoff = 1, .l_linger = 0 };
	for (int side = CLIENT; side <= SERVER && conn->end == TURN_RESET; side++)
		if (conn->fd[side] >= 0)
			setsockopt(conn->fd[side], SOL_SOCKET, SO_LINGER, &now, sizeof(now));
	record_end(worker, conn);
	conn_close_server(conn);
	park(worker, conn);
	names_leave(worker->shared, &conn->place);
	fd_close(&conn->fd[CLIENT]);
	conn_deadline(worker, conn, 0);
	conn->state = CONN_FREE;
	conn_lend(worker, conn, CLIENT, false);
	conn_lend(worker, conn, SERVER, false);
	conn_hold(worker, conn, false); // its memory counts as small until the sweep
	worker->live--;
	if (!conn->queued)
		worker->free[worker->free_count++] = conn_index(worker, conn);
}
