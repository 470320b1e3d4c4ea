// Memory that the supervisor and the proxy's worker share. Made when the first connection comes.
// Who writes what: rules and targets the supervisor; the rest the worker.
#pragma once

#include <stdatomic.h>
#include <stdbool.h>

#include "text/destination.h"

enum {
	RULES_MAX = 4096,
	RULES_ADDED_MAX = 256,
	RULE_TEXT_MAX = 160,
	BUDGETS_MAX = 64,
	OPENED_MAX = 128,
	RAW_PORTS_MAX = 256,
	DOORS_MAX = 8, // host-port, publish
	NAMES_BITS = 17
};

struct rule {
	struct destination destination;
	char text[RULE_TEXT_MAX]; // as it was written
	bool ech;                 // a TLS hello may hide a second name
};

enum budget_kind { BUDGET_UPLOAD, BUDGET_DOWNLOAD };
struct budget { // a row of [network] upload or download
	enum budget_kind kind;
	bool for_all; // the whole run together, else what `destination` names, each rule together
	struct destination destination;
	uint64_t most;            // bytes, connections, or bytes per second
	char text[RULE_TEXT_MAX]; // as a flag: what to raise
};

struct rules {
	bool private; // listed names may lead to private addresses
	bool fail;    // a name that is denied is refused without a word
	bool strict;  // DNS answers NXDOMAIN for what is not allowed
	bool ask;     // connections to what is not listed wait for an answer
	unsigned raw_count;
	uint16_t raw_ports[RAW_PORTS_MAX];
	unsigned allow_count, deny_count, budget_count, opened_count;
	struct rule allow[RULES_MAX], deny[RULES_MAX];
	struct budget budgets[BUDGETS_MAX];
	struct destination opened[OPENED_MAX]; // of secrets: TLS to these is handed to the opener
};

struct name {
	unsigned open;  // connections to it
	bool known;     // to the rules
	uint32_t asked; // the number of its last look-up; 0: no name yet
	char text[HOST_NAME_BYTES_MAX + 1];
};

// Tier landlock: where the connection from this port of the loopback was meant to go.
struct target {
	_Atomic bool set;
	uint16_t port;
	struct address address;
};

struct shared {
	// The table in use is rules[generation % 2]; the other one is only written by the
	// supervisor, which changes it at most ten times a second.
	_Atomic unsigned generation;
	struct rules rules[2];
	uint32_t asked;                      // look-ups of names
	struct name names[1 << NAMES_BITS];  // by synthetic address
	_Atomic uint64_t spent[BUDGETS_MAX]; // of rules->budgets
	_Atomic unsigned taken;              // the generation that is in force
	_Atomic unsigned unheard[DOORS_MAX]; // connections to published ports, nobody there
	_Atomic bool watched;                // each refusal is announced, not the first of a kind
	struct target targets[65536];        // by source port; written by the supervisor
};

// NULL when there is no memory.
struct shared *shared_new(void);
