// Owns the slots: one for each connection, found by index and generation.
#include "net/proxy/worker.h"

#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>

#include "base/fd.h"

uint32_t slot_index(const struct worker *worker, const struct slot *slot)
{
	return (uint32_t)(slot - worker->slots);
}

// An event that was fetched before its slot was closed does not reach the next user of the slot.
uint64_t slot_tag(enum tag tag, uint32_t index, uint32_t generation)
{
	return (uint64_t)tag << 60 | (uint64_t)(generation & 0xfffffff) << 32 | index;
}

struct slot *slot_accept(struct worker *worker, int fd)
{
	if (worker->free_count == 0 && worker->used == SLOTS_MOST)
		return NULL;
	uint32_t index = worker->free_count ? worker->free[--worker->free_count] : worker->used++;
	struct slot *slot = &worker->slots[index];
	uint32_t generation = slot->generation + 1;
	memset(slot, 0, sizeof(*slot));
	slot->generation = generation;
	slot->buffer = worker->buffers + 2 * index; // read only as far as it was written
	slot->fd[CLIENT] = fd;
	slot->fd[SERVER] = slot->attempt[0] = slot->attempt[1] = slot->record = -1;
	slot->flow[CLIENT].pipe = slot->flow[SERVER].pipe = -1;
	worker->live++;
	return slot;
}

static void watch(struct worker *worker, struct slot *slot, enum side side, int operation,
		  uint32_t more)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLRDHUP | EPOLLET | more };
	event.data.u64 = slot_tag(side == CLIENT ? TAG_CLIENT : TAG_SERVER,
				  slot_index(worker, slot), slot->generation);
	epoll_ctl(worker->epoll, operation, slot->fd[side], &event);
}

// That it can be written is assumed; whoever finds it full asks to be told.
void slot_watch(struct worker *worker, struct slot *slot, enum side side, enum watched watched)
{
	slot->writable[side] = true;
	watch(worker, slot, side, watched == WATCHED_ALREADY ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, 0);
}

void slot_await_room(struct worker *worker, struct slot *slot, enum side side)
{
	slot->writable[side] = false;
	// Changing what is watched also tells what is ready by now: no edge is lost.
	if (!slot->awaits_room[side])
		watch(worker, slot, side, EPOLL_CTL_MOD, EPOLLOUT);
	slot->awaits_room[side] = true;
}

void slot_wake(struct worker *worker, struct slot *slot)
{
	if (slot->queued)
		return;
	slot->queued = true;
	worker->queue[worker->queue_count++] = slot_index(worker, slot);
}

void slot_deadline(struct worker *worker, struct slot *slot, int milliseconds)
{
	if (slot->deadline && !milliseconds)
		worker->deadlines--;
	if (!slot->deadline && milliseconds)
		worker->deadlines++;
	slot->deadline = milliseconds ? worker->now + milliseconds : 0;
}

void slot_stop_dialing(struct slot *slot)
{
	fd_close(&slot->attempt[0]);
	fd_close(&slot->attempt[1]);
	slot->lookup = NULL;
}

void slot_close_server(struct slot *slot)
{
	slot_stop_dialing(slot);
	fd_close(&slot->fd[SERVER]);
	slot->readable[SERVER] = slot->writable[SERVER] = slot->closing[SERVER] =
		slot->awaits_room[SERVER] = false;
	// The next server's words are read anew.
	slot->flow[SERVER].ended = slot->flow[SERVER].shut = slot->flow[CLIENT].shut = false;
	slot->flow[SERVER].allowance = 0;
	slot->dialing = DIAL_NONE;
}

static bool is_quiet(const struct slot *slot)
{
	return slot->talk == TALK_FREE ||
	       (slot->flow[CLIENT].start == slot->flow[CLIENT].end &&
		slot->flow[SERVER].start == slot->flow[SERVER].end && !slot->keeping);
}

void slot_sweep(struct worker *worker)
{
	worker->next_sweep = worker->now + SWEEP_MILLISECONDS;
	for (uint32_t i = 0; i < worker->used && worker->held_count > SWEEP_LEAST; i++) {
		struct held *held = &worker->held[i];
		bool used = held->used;
		held->used = false;
		if (!held->held || used || !is_quiet(&worker->slots[i]) ||
		    madvise(worker->buffers + 2 * i, 2 * BUFFER_SIZE, MADV_DONTNEED) < 0)
			continue;
		worker->held_count--;
		worker->large_count -= held->held == HELD_LARGE;
		held->held = HELD_NOTHING;
	}
}

static uint64_t token_of(const struct worker *worker, const struct slot *slot)
{
	return slot_tag(TAG_CLIENT, slot_index(worker, slot), slot->generation);
}

// The client's end is closed when it was seen whose it is.
static void park(struct worker *worker, struct slot *slot)
{
	for (int i = 0; i < PARKED_MOST && slot->held; i++) {
		struct parked *parked = &worker->parked[i];
		if (parked->held)
			continue;
		epoll_ctl(worker->epoll, EPOLL_CTL_DEL, slot->fd[CLIENT], NULL);
		*parked = (struct parked){ token_of(worker, slot), slot->held,
					   take(&slot->fd[CLIENT]) };
		slot->held = 0;
	}
}

void slot_seen(struct worker *worker, uint64_t token)
{
	uint32_t index = (uint32_t)token;
	struct slot *slot = index < worker->used ? &worker->slots[index] : NULL;
	for (int i = 0; i < PARKED_MOST; i++) {
		struct parked *parked = &worker->parked[i];
		if (parked->held && parked->token == token && --parked->held == 0)
			fd_close(&parked->fd);
	}
	if (!slot || !slot->held || token_of(worker, slot) != token || --slot->held > 0)
		return;
	slot_wake(worker, slot); // the answer that waited is written
}

static void end(struct worker *worker, struct slot *slot, enum ending how)
{
	if (slot->ending)
		return;
	slot->ending = how;
	worker->ending[worker->ending_count++] = slot_index(worker, slot);
}

void slot_close(struct worker *worker, struct slot *slot)
{
	end(worker, slot, ENDING_CLOSE);
}

void slot_reset(struct worker *worker, struct slot *slot)
{
	end(worker, slot, ENDING_RESET);
}

void slot_free(struct worker *worker, struct slot *slot)
{
	struct linger now = { .l_onoff = 1, .l_linger = 0 };
	for (int side = CLIENT; side <= SERVER && slot->ending == ENDING_RESET; side++)
		if (slot->fd[side] >= 0)
			setsockopt(slot->fd[side], SOL_SOCKET, SO_LINGER, &now, sizeof(now));
	slot_close_server(slot);
	park(worker, slot);
	fd_close(&slot->fd[CLIENT]);
	slot_deadline(worker, slot, 0);
	slot->talk = TALK_FREE;
	worker->live--;
	// One that is queued is given back when its turn comes.
	if (!slot->queued)
		worker->free[worker->free_count++] = slot_index(worker, slot);
}
