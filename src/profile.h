// What the user wants: the merged text of profiles and flags, typed but not yet decided.
#pragma once

#include <stdint.h>

#include "base/list.h"
#include "base/units.h"

enum project_access { PROJECT_WRITE, PROJECT_READ, PROJECT_NONE };
enum network_mode { NETWORK_NONE, NETWORK_PROXY, NETWORK_HOST };
enum dns_mode { DNS_STRICT, DNS_TOLD };
enum environment_mode { ENVIRONMENT_FILTERED, ENVIRONMENT_MINIMAL };
enum tier { TIER_FULL, TIER_LANDLOCK };
enum answer { ANSWER_NO, ANSWER_YES };

// A limit of UNLIMITED means that the caller's own stays.
struct limits {
	uint64_t time; // milliseconds of wall clock
	uint64_t pids; // processes and threads
	uint64_t tmp; // bytes of each private tmpfs
	uint64_t file_size; // bytes of one file
	uint64_t open_files; // descriptors of one process
	uint64_t core; // bytes of a core dump
};

struct profile {
	const char *description;
	enum tier minimum; // the least that a run is content with
	struct list extends;

	enum project_access project;
	struct list read, write, cache, scratch, tmpfs, hide, secret, protect, socket, device;

	enum network_mode network;
	struct list allow, deny, loopback, publish;
	struct list upload, download, connections, rate;
	enum answer network_private;
	enum dns_mode dns;
	const char *upstream; // a proxy of the caller's, NULL: as the environment says

	struct limits limits;

	struct list syscalls_allow; // groups of policy/syscalls.h
	struct list syscalls_deny; // names of system calls

	enum environment_mode environment;
	struct list environment_pass, environment_set, environment_unset;

	const char *hostname;
	struct list keep_fd;
};

// What only the command line says.
struct invocation {
	struct list profiles;
	const char *shell_string; // -c STRING
	enum answer timing, json, help, resolved, runs;
	enum answer unprotected, terse;
	enum tier tier;
	char **command; // argv of the command, NULL-terminated; NULL when none was given
};
