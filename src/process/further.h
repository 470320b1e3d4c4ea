// The commands that sbx exec gives to a box that lives. Its pid 1 starts them, behind all walls
// that the first one has: no process and no terminal of the host's enters the box.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "base/fd.h"
#include "run.h"

// A command and its variables, as execve(2) takes them.
struct further_words {
	char *const *command;
	char *const *environment;
};
// Finds the program by the environment's PATH and executes it. Returns only on failure: the errno.
int further_execute(const struct further_words *words);

// As it is handed over: in a sealed memfd (memfd_create(2)). The texts are the directory ("": that
// of the first command), the arguments and the variables; each ends with NUL, and is followed by
// the next.
struct further_text {
	uint32_t arguments, variables;
	char texts[];
};
enum { FURTHER_BYTES_MAX = 4 << 20 };
// Pure. False where these are other bytes.
bool further_text_is_good(const struct further_text *text, size_t length);

// From the supervisor to pid 1. Another order is one int.
struct further_order {
	enum { FURTHER_EXECUTE, FURTHER_SIGNAL } kind;
	int number; // of the command, never used twice in a run
	int signal;
	struct terminal_wish terminal;
};

// What became of a command: from pid 1 to the supervisor and from there to the client, with the
// terminal's master where one was wanted. The client's socket takes signals, an int each; its end
// ends the command.
enum further_kind {
	FURTHER_STARTED,   // a process was made, which executes it next
	FURTHER_SIGNALLED, // what the client sent has reached it
	FURTHER_ENDED,     // number: a wait status
	// It was not run; number: an errno, or 0.
	FURTHER_NOT_FOUND,
	FURTHER_NO_DIRECTORY,
	FURTHER_KILLED, // or stopped, by a process of the box
	FURTHER_PAUSED,
	FURTHER_FULL,
	FURTHER_SILENT, // pid 1 takes no orders
	FURTHER_NO_PROCESS,
	FURTHER_NO_TERMINAL,
	FURTHER_BACKGROUND, // where a terminal is none of the box's to give
	FURTHER_REFUSED,
};
struct further_answer {
	struct control_head head;
	enum further_kind kind;
	int number;
};

enum { FURTHER_MAX = 64 };
// Of pid 1: those that live.
struct further {
	struct further_child {
		pid_t pid; // 0: free
		int number;
		int peer; // of its terminal, open until it has ended: -1, none
	} all[FURTHER_MAX];
	struct rlimit files; // of the first command
};

// Pid 1. The descriptors are the text, and stdin, stdout and stderr where no terminal is wanted,
// and are closed. Says what became of it by MESSAGE_FURTHER, with the terminal's master. Waits for
// no process: one of the box can stop the one that it makes.
void further_take(struct run *run, const struct further_order *order, int fds[FD_PASSED]);
// A process that was waited for, as one that has executed a program or has not (__WCLONE).
enum further_stage { FURTHER_EXECUTED, FURTHER_MADE };
void further_reaped(struct run *run, enum further_stage stage, pid_t pid, int status);
