// Commands of sbx exec in a live box. No process or terminal of the host enters the box.
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
// Searches PATH of `environment`, and executes. Returns an errno.
int further_execute(const struct further_words *words);

// Content of a sealed memfd. `texts`: directory ("": the first command's), arguments, variables,
// each with NUL.
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

// Answers of pid 1, which the supervisor passes on. The client sends signal numbers. Its EOF kills
// the command.
enum further_kind {
	FURTHER_STARTED, // forked, not yet executed
	FURTHER_SIGNALLED,
	FURTHER_ENDED,
	// The command did not run. `number` is an errno or 0.
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
		int peer; // end of its terminal, or -1
	} all[FURTHER_MAX];
	struct rlimit files;
};

// Closes `fds`: the text and, without a terminal, stdin, stdout and stderr.
void further_take(struct run *run, const struct further_order *order, int fds[FD_PASSED]);
// FURTHER_MADE: the child ended before its exec.
enum further_stage { FURTHER_EXECUTED, FURTHER_MADE };
void further_reaped(struct run *run, enum further_stage stage, pid_t pid, int status);
