// Owns the end of a box for the sake of the machine. Supervisors of one user agree by a file in the
// state directory, under a lock: the box that holds most ends, one in a second, and all others
// live.
#include "limits/group.h"

#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "base/testing.h"
#include "plan.h"
#include "run.h"

enum {
	FLOOR_PART = 50, // a fiftieth of all, or
	FLOOR_LEAST = 256 << 20,
	FELL_LEAST = 512 << 20,
	PER_MILLISECOND = 4 << 20,
	LOOK_SOONEST = 20,
	ASKED_MILLISECONDS = 20, // of processes that share pages
	LOOK_LATEST = 1000,
	AGREE_MILLISECONDS = 300, // so long others have to say what they hold, unless it is urgent
	URGENT_PART = 2,          // less than half of the floor is left,
	FAST_PART = 16,           // or such a part of it went since the last look
	APART_MILLISECONDS = 1000,
	RELEASE_MILLISECONDS = 10000, // what one had comes back so slowly at most
	CLAIMS_MAX = 512,
	HELD_PART = 16,
};

struct machine {
	uint64_t total, available;
	uint64_t nobody; // taken, and not by a process's own pages: tmpfs, sockets, pipes, memfds
};

static struct machine machine_now(void)
{
	char text[4096];
	struct machine machine = { 0 };
	size_t length = file_kernel(AT_FDCWD, testing_meminfo(), text, sizeof(text));
	machine.total = text_kilobytes(text, length, "MemTotal:");
	machine.available = text_kilobytes(text, length, "MemAvailable:");
	uint64_t known = machine.available + text_kilobytes(text, length, "AnonPages:");
	machine.nobody = machine.total > known ? machine.total - known : 0;
	return machine;
}

// What one box says of itself, in the file.
struct claim {
	int64_t pid, last; // milliseconds of the steady clock
	uint64_t own;      // bytes of its processes, 0: not why
	uint64_t held;     // in sockets, pipes, memfds and private files, 0: not why
};
struct table {
	int64_t ended; // when a box ended last
	struct claim claims[CLAIMS_MAX];
};

static bool is_fresh(const struct claim *claim, int64_t now)
{
	return claim->pid > 0 && claim->last <= now && now - claim->last < APART_MILLISECONDS;
}

static bool is_larger(const struct claim *left, const struct claim *right)
{
	if (left->own != right->own)
		return left->own > right->own;
	return left->held != right->held ? left->held > right->held : left->pid < right->pid;
}

// Notes our claim, and says whether it is the largest of all.
static bool put_claim(struct table *table, const struct claim *own, int64_t now)
{
	struct claim *place = NULL;
	bool largest = true;
	for (int i = 0; i < CLAIMS_MAX; i++) {
		struct claim *each = &table->claims[i];
		if (each->pid == own->pid || (!place && !is_fresh(each, now)))
			place = each;
		if (each->pid != own->pid && is_fresh(each, now) && is_larger(each, own))
			largest = false;
	}
	if (place)
		*place = *own;
	return largest;
}

// Another is at the file this moment, or has just ended: then at the next look. Without the file
// each box answers for itself.
static bool agree(const struct plan *plan, struct floor *floor, const struct claim *claim,
		  bool urgent, int64_t now)
{
	static struct table table; // of the supervisor alone: it is large
	bool waited = urgent || now - floor->claimed >= AGREE_MILLISECONDS;
	autoclose int state = ATTEMPT(owned_directory(plan->state));
	autoclose int file = state < 0 ? -1
				       : openat(state, "memory",
						O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (file < 0)
		return waited;
	if (flock(file, LOCK_EX | LOCK_NB) < 0)
		return false;
	if (pread(file, &table, sizeof(table), 0) != (ssize_t)sizeof(table))
		memset(&table, 0, sizeof(table));
	int64_t since = table.ended > now ? RELEASE_MILLISECONDS : now - table.ended;
	bool apart = since >= (floor->grows ? RELEASE_MILLISECONDS : APART_MILLISECONDS);
	if (!apart)
		floor->claimed = now; // its memory may be enough
	bool ends = put_claim(&table, claim, now) && apart && waited;
	if (ends)
		table.ended = now;
	return pwrite(file, &table, sizeof(table), 0) == (ssize_t)sizeof(table) && ends;
}

// What the box has to do with it. Shared pages count for each process first: a sum that is quick.
static struct claim claim_of(const struct plan *plan, const struct run *run,
			     const struct floor *floor, const struct tree *tree, uint64_t nobody,
			     uint64_t fell)
{
	struct claim claim = { .pid = getpid() };
	if (tree->memory >= fell / 2) {
		struct resident used = tree_resident();
		int64_t end = steady_now() + ASKED_MILLISECONDS;
		while (used.least < fell / 2 && used.most >= fell / 2 && steady_now() < end &&
		       tree_refine())
			used = tree_resident();
		claim.own = used.least >= fell / 2 ? used.least : 0;
	}
	if (claim.own == 0 && nobody > floor->nobody && nobody - floor->nobody >= fell / 2)
		claim.held = tree_held(run->init, plan->own_network);
	// A box with next to no memory is not the cause.
	if (claim.held < fell / HELD_PART)
		claim.held = 0;
	return claim;
}

int64_t floor_look(const struct plan *plan, const struct run *run, struct floor *floor,
		   const struct tree *tree, enum stop *ret_stop)
{
	struct machine machine = machine_now();
	uint64_t least = machine.total / FLOOR_PART;
	least = least < FLOOR_LEAST ? FLOOR_LEAST : least;
	int64_t now = steady_now();
	if (floor->available == 0)
		*floor = (struct floor){ .available = machine.available, .nobody = machine.nobody };
	bool urgent = machine.available < least / URGENT_PART ||
		      machine.available + least / FAST_PART < floor->last;
	floor->grows = machine.available > floor->last;
	floor->last = machine.available;
	if (machine.available >= least) {
		uint64_t wait = (machine.available - least) / PER_MILLISECOND;
		floor->claimed = 0;
		return wait < LOOK_SOONEST  ? LOOK_SOONEST
		       : wait < LOOK_LATEST ? (int64_t)wait
					    : LOOK_LATEST;
	}
	uint64_t fell =
		floor->available > machine.available ? floor->available - machine.available : 0;
	if (fell <= FELL_LEAST || testing_skips("floor"))
		return LOOK_SOONEST;
	struct claim claim = claim_of(plan, run, floor, tree, machine.nobody, fell);
	if (claim.own == 0 && claim.held == 0) {
		floor->claimed = 0;
		return LOOK_SOONEST;
	}
	floor->claimed = floor->claimed ? floor->claimed : now;
	claim.last = now;
	if (agree(plan, floor, &claim, urgent, now))
		*ret_stop = STOP_MACHINE;
	return LOOK_SOONEST;
}
