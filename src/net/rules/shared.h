// Memory that supervisor and worker share.
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
	DOORS_MAX = 8,
	NAMES_BITS = 17
};

struct rule {
	struct destination destination;
	char text[RULE_TEXT_MAX];
	bool ech;
};

enum budget_kind { BUDGET_UPLOAD, BUDGET_DOWNLOAD };
struct budget {
	enum budget_kind kind;
	bool for_all; // one budget for all destinations
	struct destination destination;
	uint64_t most;
	char text[RULE_TEXT_MAX];
};

struct rules {
	bool private;
	bool fail;
	bool strict; // NXDOMAIN for names that no rule allows
	bool ask;
	unsigned raw_count;
	uint16_t raw_ports[RAW_PORTS_MAX];
	unsigned allow_count, deny_count, budget_count, opened_count;
	struct rule allow[RULES_MAX], deny[RULES_MAX];
	struct budget budgets[BUDGETS_MAX];
	struct destination opened[OPENED_MAX];
};

struct name {
	unsigned open;
	bool known;
	uint32_t asked; // counter at its last DNS question; 0: unused
	char text[HOST_NAME_BYTES_MAX + 1];
};

// Tier landlock: the destination of a connection, by its source port.
struct target {
	_Atomic bool set;
	uint16_t port;
	struct address address;
};

struct shared {
	// rules[generation % 2] is in use. The supervisor writes the other, at most ten times a
	// second.
	_Atomic unsigned generation;
	struct rules rules[2];
	uint32_t asked;
	struct name names[1 << NAMES_BITS];
	_Atomic uint64_t spent[BUDGETS_MAX];
	_Atomic unsigned taken;
	_Atomic unsigned unheard[DOORS_MAX];
	_Atomic bool watched; // report each record, not only the first of its kind
	struct target targets[65536];
};

struct shared *shared_new(void);
