// Owns the box's connections to the filter, and the filter's to the agent.
#include "sshagent/sshagent.h"

#include <errno.h>
#include <stdio.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/base.h"

enum {
	LISTENER = 0,
	CONNECTOR = 1,
	EVENTS = 3,
	LENGTH = 4,
	REQUEST_MILLISECONDS = 10000,
	ANSWER_MILLISECONDS = 120000, // the agent may ask its user, or a security key
	IDLE_MILLISECONDS = 3600000,
	TICK_MILLISECONDS = 1000,
	CONNECT_SECONDS = 5,
};

enum stage {
	FREE,
	READS,
	ASKS,
	WAITS,
	ANSWERS,
};

struct slot {
	enum stage state;
	enum agent_verdict verdict;
	int box, agent; // descriptors; `agent` -1: not connected yet
	int64_t until;
	size_t used, whole; // bytes transferred; bytes of the message, 0: unknown
	struct agent_connection connection;
	uint8_t bytes[LENGTH + AGENT_ANSWER_MAX];
};

static bool watch(int fd, int operation, uint32_t events, struct slot *slot)
{
	struct epoll_event event = { .events = events, .data.ptr = slot };
	return fd < 0 || epoll_ctl(EVENTS, operation, fd, &event) == 0;
}

static void end_slot(struct slot *slot)
{
	// epoll(7), question 6: a closed descriptor stays registered while the connector has a
	// copy. Its hang-up would end the slot's next connection.
	(void)watch(slot->agent, EPOLL_CTL_DEL, 0, slot);
	fd_close(&slot->box);
	fd_close(&slot->agent);
	slot->state = FREE;
}

// Begins a stage. In ANSWERS, epoll does not watch the agent: it would report a hang-up even
// without events.
static bool enter(struct slot *slot, enum stage state, size_t whole)
{
	static const struct {
		uint32_t box, agent;
		int operation;
		int64_t milliseconds;
	} rows[] = {
		[READS] = { EPOLLIN, 0, EPOLL_CTL_ADD, IDLE_MILLISECONDS },
		[ASKS] = { 0, EPOLLOUT, EPOLL_CTL_MOD, REQUEST_MILLISECONDS },
		[WAITS] = { 0, EPOLLIN, EPOLL_CTL_MOD, ANSWER_MILLISECONDS },
		[ANSWERS] = { EPOLLOUT, 0, EPOLL_CTL_DEL, REQUEST_MILLISECONDS },
	};
	slot->state = state;
	slot->used = 0;
	slot->whole = whole;
	slot->until = steady_now() + rows[state].milliseconds;
	return watch(slot->box, EPOLL_CTL_MOD, rows[state].box, slot) &&
	       watch(slot->agent, rows[state].operation, rows[state].agent, slot);
}

static bool answer(struct slot *slot, uint8_t message)
{
	wire_put_number(slot->bytes, 1);
	slot->bytes[LENGTH] = message;
	return enter(slot, ANSWERS, LENGTH + 1);
}

// Gets a connection to the agent from serve_connector(), in CONNECT_SECONDS, or -1.
static int ask_connector(void)
{
	int fds[FD_PASSED];
	char byte = 0;
	if (send(CONNECTOR, &byte, 1, MSG_NOSIGNAL) != 1 ||
	    fd_receive(CONNECTOR, &byte, 1, fds) <= 0)
		return -1;
	return fds[0];
}

static bool hand_on(struct agent_record *record, struct slot *slot)
{
	static const struct refused unreachable = {
		.kind = REFUSED_AGENT,
		.what = "a connection to your ssh-agent",
		.why = "your agent takes none; is it running? ssh-add -l",
	};
	if (slot->agent < 0) {
		slot->agent = ask_connector();
		if (slot->agent < 0) {
			refused_note(&record->refused, &unreachable);
			return answer(slot, AGENT_FAILURE);
		}
		if (!watch(slot->agent, EPOLL_CTL_ADD, 0, slot))
			return false;
	}
	return enter(slot, ASKS, slot->whole);
}

static bool judge(struct agent_record *record, struct slot *slot)
{
	struct refused refusal;
	slot->verdict = agent_judge(&record->rules, &slot->connection, slot->bytes + LENGTH,
				    slot->whole - LENGTH, &refusal);
	switch (slot->verdict) {
	case AGENT_REFUSES:
		refused_note(&record->refused, &refusal);
		return answer(slot, slot->bytes[LENGTH] == AGENT_EXTENSION ? AGENT_EXTENSION_FAILURE
									   : AGENT_FAILURE);
	case AGENT_KNOWS:
		return answer(slot, AGENT_SUCCESS);
	case AGENT_LISTS:
	case AGENT_SIGNS:
	case AGENT_BINDS:
		break;
	}
	return hand_on(record, slot);
}

static bool take_answer(struct agent_record *record, struct slot *slot)
{
	struct refused refusal;
	uint8_t *bytes = slot->bytes + LENGTH;
	size_t length = slot->whole - LENGTH;
	switch (slot->verdict) {
	case AGENT_LISTS:
		length = agent_list(&record->rules, bytes, length);
		if (length == 0)
			return answer(slot, AGENT_FAILURE);
		wire_put_number(slot->bytes, (uint32_t)length);
		return enter(slot, ANSWERS, LENGTH + length);
	case AGENT_SIGNS:
		return agent_is_signature(bytes, length) ? enter(slot, ANSWERS, slot->whole)
							 : answer(slot, AGENT_FAILURE);
	case AGENT_BINDS:
		if (agent_bound(&record->rules, &slot->connection, bytes, length, &refusal))
			return answer(slot, AGENT_SUCCESS);
		refused_note(&record->refused, &refusal);
		return answer(slot, AGENT_EXTENSION_FAILURE);
	case AGENT_REFUSES:
	case AGENT_KNOWS:
		break;
	}
	return false;
}

// Returns 1 for a whole message, 0 for a part, -1 if the connection ends.
static int read_some(struct slot *slot, int fd, size_t most)
{
	size_t wanted = slot->whole ? slot->whole : LENGTH;
	ssize_t got = recv(fd, slot->bytes + slot->used, wanted - slot->used, MSG_DONTWAIT);
	if (got <= 0)
		return got < 0 && (errno == EAGAIN || errno == EINTR) ? 0 : -1;
	if (slot->state == READS && slot->used == 0)
		slot->until = steady_now() + REQUEST_MILLISECONDS;
	slot->used += (size_t)got;
	if (slot->used < wanted)
		return 0;
	if (slot->whole)
		return 1;
	struct wire wire = { slot->bytes, LENGTH };
	uint32_t length = 0;
	if (!wire_number(&wire, &length) || length == 0 || length > most)
		return -1;
	slot->whole = LENGTH + length;
	return 0;
}

static int write_some(struct slot *slot, int fd)
{
	ssize_t sent = send(fd, slot->bytes + slot->used, slot->whole - slot->used,
			    MSG_DONTWAIT | MSG_NOSIGNAL);
	if (sent < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -1;
	slot->used += (size_t)sent;
	return slot->used == slot->whole;
}

static bool go_on(struct agent_record *record, struct slot *slot)
{
	int done;
	switch (slot->state) {
	case FREE:
		return true;
	case READS:
		done = read_some(slot, slot->box, AGENT_REQUEST_MAX);
		return done > 0 ? judge(record, slot) : done == 0;
	case ASKS:
		done = write_some(slot, slot->agent);
		return done > 0 ? enter(slot, WAITS, 0) : done == 0;
	case WAITS:
		done = read_some(slot, slot->agent, AGENT_ANSWER_MAX);
		return done > 0 ? take_answer(record, slot) : done == 0;
	case ANSWERS:
		done = write_some(slot, slot->box);
		return done > 0 ? enter(slot, READS, 0) : done == 0;
	}
	return false;
}

size_t serve_bytes(void)
{
	return AGENT_CONNECTIONS_MAX * sizeof(struct slot);
}

static void accept_one(struct agent_record *record, struct slot *slots)
{
	static const struct refused full = {
		.kind = REFUSED_AGENT,
		.what = "a connection to your ssh-agent",
		.why = "16 are open; end programs that hold one",
	};
	autoclose int fd = accept4(LISTENER, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (fd < 0)
		return;
	for (unsigned i = 0; i < AGENT_CONNECTIONS_MAX; i++) {
		struct slot *slot = &slots[i];
		if (slot->state != FREE)
			continue;
		slot->connection = (struct agent_connection){ 0 };
		slot->agent = -1;
		slot->box = take(&fd);
		if (!watch(slot->box, EPOLL_CTL_ADD, 0, slot) || !enter(slot, READS, 0))
			end_slot(slot);
		return;
	}
	refused_note(&record->refused, &full);
}

static void end_late(struct slot *slots, int64_t now)
{
	for (unsigned i = 0; i < AGENT_CONNECTIONS_MAX; i++)
		if (slots[i].state != FREE && slots[i].until < now)
			end_slot(&slots[i]);
}

void serve_filter(struct agent_record *record, void *memory)
{
	struct slot *slots = memory;
	struct epoll_event event = { .events = EPOLLIN };
	if (epoll_ctl(EVENTS, EPOLL_CTL_ADD, LISTENER, &event) < 0)
		return;
	for (;;) {
		// Takes one event at a time: it may end a slot that has another event.
		int count = epoll_wait(EVENTS, &event, 1, TICK_MILLISECONDS);
		if (count < 0 && errno != EINTR)
			return;
		end_late(slots, steady_now());
		if (count != 1)
			continue;
		struct slot *slot = event.data.ptr;
		if (!slot) {
			accept_one(record, slots);
			continue;
		}
		uint32_t waits = slot->state == READS || slot->state == WAITS ? EPOLLIN : EPOLLOUT;
		if ((event.events & waits) == 0 || !go_on(record, slot))
			end_slot(slot);
	}
}

int agent_connect(int agent, unsigned seconds)
{
	const struct timeval limit = { .tv_sec = seconds };
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	snprintf(address.sun_path, sizeof(address.sun_path), "/proc/self/fd/%d", agent);
	autoclose int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit)) < 0 ||
	    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)) < 0 ||
	    connect(fd, (const struct sockaddr *)&address, sizeof(address)) < 0)
		return -1;
	return take(&fd);
}

void serve_connector(void)
{
	char byte;
	while (fd_receive(CONNECTOR, &byte, 1, NULL) > 0) {
		autoclose int fd = agent_connect(LISTENER, CONNECT_SECONDS);
		byte = fd >= 0;
		if (fd_send(CONNECTOR, &byte, 1, &fd, fd >= 0) < 0)
			return;
	}
}
