// The user's wishes: the merged text of profiles and flags, typed but not yet decided.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/base.h"

enum project_access { PROJECT_WRITE, PROJECT_READ, PROJECT_NONE };
// CHECK_SHARE: the check after a run covers a part of the tree (trees/trees.h).
enum check_part { CHECK_SHARE, CHECK_ALL };
enum network_mode { NETWORK_NONE, NETWORK_PROXY, NETWORK_HOST };
enum dns_mode { DNS_STRICT, DNS_FAIL, DNS_TOLD };
enum ech_mode { ECH_REFUSE, ECH_PASS };
enum environment_mode { ENVIRONMENT_FILTERED, ENVIRONMENT_MINIMAL };
enum tier { TIER_FULL, TIER_LANDLOCK };
enum tier_asked { ASKED_AUTO, ASKED_FULL, ASKED_LANDLOCK };
enum toggle { TOGGLE_NO, TOGGLE_YES };
enum help_wish { HELP_NONE, HELP_SCREEN, HELP_ALL };

enum telling { TELL_NEVER, TELL_SHORT, TELL_FULL, TELL_JSON, TELL_MODEL };

// UNLIMITED keeps the caller's limit.
struct limits {
	uint64_t time;   // milliseconds of wall clock
	uint64_t memory; // bytes of all processes
	uint64_t swap;
	uint64_t cpu;  // thousandths of a processor
	uint64_t pids; // processes and threads
	uint64_t io;   // bytes per second, read and written each
	uint64_t tmp;  // bytes of private directories
	uint64_t disk;
	uint64_t file_size;
	uint64_t open_files;
	uint64_t core;
	uint64_t soft; // LIMIT_BITs that may fail
};
enum { LIMITS = offsetof(struct limits, soft) / sizeof(uint64_t) };
#define LIMIT_BIT(field) (1ULL << (offsetof(struct limits, field) / sizeof(uint64_t)))

struct profile {
	struct arena *brief; // arena of [files] items while planning, or NULL

	const char *description;
	enum tier minimum;
	struct list extends;
	struct list files;

	enum project_access project;
	enum check_part check;
	struct list read, write, cache, scratch, tmpfs, hide, hide_untracked, secret, protect,
		socket, device;

	enum network_mode network;
	struct list allow, deny, loopback, publish, raw_ports;
	struct list upload, download;
	struct list agent_key, agent_host, agent_sign; // caller's ssh-agent
	enum toggle network_private;
	enum dns_mode dns;
	enum ech_mode ech;
	enum toggle guard;    // BPF programs as a second layer
	const char *upstream; // the caller's proxy; NULL: the environment's

	struct list secret_hosts, secret_sources, secret_variables, secret_headers, secret_only;

	struct limits limits;

	struct list syscalls_allow; // groups of policy/syscalls.h
	struct list syscalls_deny;

	enum environment_mode environment;
	struct list environment_pass, environment_set, environment_unset;

	const char *hostname;
	struct list keep_fd;

	enum telling report;
	enum toggle refused_writes; // reported if the command failed
};

struct terminal_wish {
	bool wanted;
	unsigned short rows, columns;
};

// Options of the command line alone. policy/keys.c names the verbs of each.
struct invocation {
	struct list profiles;
	const char *shell_string;
	const char *session;
	const char *project_dir; // NULL: by the current directory
	const char *apply;       // "yes", "no" or a file; NULL: ask
	const char *from;        // session or snapshot that a new one starts from, or NULL
	enum toggle review, as_root, stat, force, dry_run, servers;
	const char *directory; // of -C, or NULL
	enum help_wish help;
	enum toggle timing, json, resolved, all;
	enum toggle unprotected, terse, person, explain, learn, logged;
	const char *output;
	const char *report_fd, *status_fd;
	const char *ask_program;
	enum toggle die_with_parent;
	int parent;     // pid when sbx started
	unsigned umask; // the caller's
	enum toggle ask;
	const char *logged_project, *logged_host, *logged_run;
	uint64_t since; // milliseconds back from now; 0: all
	enum toggle denied, changed;
	uint64_t stop_time; // milliseconds
	enum toggle detach;
	int ready;
	int front;
	struct terminal_wish size;
	enum toggle follow, raw;
	enum toggle terminal;
	enum toggle interactive; // no effect
	const char *inside;      // directory of the box, or NULL
	struct list variables;
	uint64_t offset, tail; // bytes; lines
	struct list filters;
	const char *language; // NULL: detected
	enum tier_asked tier;
	char **command;
};
