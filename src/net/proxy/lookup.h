// Name resolution, with a cache.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "net/proxy/conn.h"
#include "text/destination.h"

struct lookup {
	struct worker *worker;
	enum { LOOKUP_FREE, LOOKUP_FILES, LOOKUP_ASKED, LOOKUP_KNOWN, LOOKUP_FAILED } state;
	char name[HOST_NAME_BYTES_MAX + 1];
	unsigned asked;
	enum existence existence;
	bool absolute;
	bool noted;
	struct address addresses[ADDRESSES_MAX];
	unsigned count;
	int64_t until; // steady_now() when the answer is outdated
};

int lookup_begin(struct worker *worker);
struct lookup *lookup_get(struct worker *worker, const char *name, bool absolute);
static inline bool lookup_done(const struct lookup *lookup)
{
	return lookup->state == LOOKUP_KNOWN || lookup->state == LOOKUP_FAILED;
}
void lookup_take(struct worker *worker, struct conn *conn);
void lookup_files(struct worker *worker, const bool changed[2], int fds[2]);
void lookup_event(struct worker *worker, int fd, uint32_t events);
void lookup_look(struct worker *worker);
int lookup_timeout(struct worker *worker, int limit);
