// The commands that sbx exec gives to a live box. Pid 1 starts them behind all walls of the first:
// no process or terminal of the host enters the box.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "base/fd.h"
#include "run.h"

struct further_words {
	char *const *command;
	char *const *environment;
};
// Searches PATH of the environment. Returns an errno.
int further_execute(const struct further_words *words);

// In a sealed memfd (memfd_create(2)): directory ("": the first command's), arguments, variables;
// each ends with NUL.
struct further_text {
	uint32_t arguments, variables;
	char texts[];
};
enum { FURTHER_BYTES_MAX = 4 << 20 };
bool further_text_is_good(const struct further_text *text, size_t length);

struct further_order {
	enum { FURTHER_EXECUTE, FURTHER_SIGNAL } kind;
	int number;
	int signal;
	struct terminal_wish terminal;
};

// From pid 1 to the supervisor and on to the client, with the terminal's master. The client sends
// signals as ints. Its EOF ends the command.
enum further_kind {
	FURTHER_STARTED, // forked, not yet executed
	FURTHER_SIGNALLED,
	FURTHER_ENDED,
	// Not run. number: an errno, or 0.
	FURTHER_NOT_FOUND,
	FURTHER_NO_DIRECTORY,
	FURTHER_KILLED, // or stopped, by a process of the box
	FURTHER_PAUSED,
	FURTHER_FULL,
	FURTHER_SILENT,
	FURTHER_NO_PROCESS,
	FURTHER_NO_TERMINAL,
	FURTHER_BACKGROUND,
	FURTHER_REFUSED,
};
struct further_answer {
	struct control_head head;
	enum further_kind kind;
	int number;
};

enum { FURTHER_MAX = 64 };
struct further {
	struct further_child {
		pid_t pid;
		int number;
		int peer; // of its terminal; -1: none
	} all[FURTHER_MAX];
	struct rlimit files;
};

// In pid 1. `fds`: the text, and without a terminal stdin, stdout and stderr; closes them. Does not
// wait: the box can stop the child.
void further_take(struct run *run, const struct further_order *order, int fds[FD_PASSED]);
// FURTHER_MADE: reaped with __WCLONE, before its exec.
enum further_stage { FURTHER_EXECUTED, FURTHER_MADE };
void further_reaped(struct run *run, enum further_stage stage, pid_t pid, int status);
