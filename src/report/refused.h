// What a locked process refused or could not do, in memory that it shares with the supervisor: one
// table for all of these processes, which write it, and of which the supervisor believes nothing.
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct denials;

enum refused_kind {
	REFUSED_NOTHING,
	REFUSED_SECRET,    // opener: a request to a host of a secret
	REFUSED_AGENT,     // agent filter: a message
	REFUSED_SIGNATURE, // and a signature
	REFUSED_EDIT,      // relay of a language server: files written, made, renamed or removed
	REFUSED_SHOW,      // window/showDocument
	REFUSED_LINK,      // a link to click
	REFUSED_COMMAND,   // a command of the editor
	REFUSED_METHOD,    // a message that LSP does not have
	REFUSED_MALFORMED, // no message
	REFUSED_KINDS
};

// The flag that would allow it.
enum refused_flag {
	REFUSED_BY_NO_FLAG,
	REFUSED_AGENT_HOST,
	REFUSED_AGENT_KEY,
	REFUSED_AGENT_SIGN,
	REFUSED_FLAGS
};

struct refused {
	uint32_t kind, flag; // of the enums
	uint32_t failed;     // not 0: it was not refused, it could not be done
	uint32_t count;
	char what[400], why[160], value[128]; // of the flag, or ""
};

enum { REFUSED_MAX = 128 };

struct refused_table {
	uint32_t count;
	uint64_t lost; // that have no room
	struct refused all[REFUSED_MAX];
};

// Texts that do not fit are cut.
void refused_set(struct refused *ret, enum refused_kind kind, const char *what, const char *why);
// One more, or one more of the same kind and thing. Of REFUSED_NOTHING nothing is noted.
void refused_note(struct refused_table *table, const struct refused *refused);
// When the process that writes it has ended; `table` may be NULL.
void refused_report(const struct refused_table *table, struct denials *denials);
