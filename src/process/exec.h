// Commands of sbx exec in a live box. No process or terminal of the host enters the box.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "base/fd.h"
#include "run.h"

struct exec_words {
	char *const *command;
	char *const *environment;
};
// Searches PATH of `environment`, and executes. Returns an errno.
int exec_execute(const struct exec_words *words);

// Content of a sealed memfd. `texts`: directory ("": the first command's), arguments, variables,
// each with NUL.
struct exec_text {
	uint32_t arguments, variables;
	char texts[];
};
enum { EXEC_BYTES_MAX = 4 << 20 };
bool exec_text_is_good(const struct exec_text *text, size_t length);

struct exec_order {
	enum { EXEC_EXECUTE, EXEC_SIGNAL } kind;
	int number;
	int signal;
	struct terminal_wish terminal;
};

// Answers of pid 1, which the supervisor passes to the client. The client sends signal numbers. EOF
// from the client kills the command.
enum exec_kind {
	EXEC_STARTED, // forked, not yet executed
	EXEC_SIGNALLED,
	EXEC_ENDED,
	// The command did not run. `number` is an errno or 0.
	EXEC_NOT_FOUND,
	EXEC_NO_DIRECTORY,
	EXEC_KILLED, // killed or stopped by a process of the box
	EXEC_PAUSED,
	EXEC_FULL,
	EXEC_SILENT,
	EXEC_NO_PROCESS,
	EXEC_NO_TERMINAL,
	EXEC_BACKGROUND,
	EXEC_REFUSED,
};
struct exec_answer {
	struct control_head head;
	enum exec_kind kind;
	int number;
};

enum { EXEC_MAX = 64 };
struct exec {
	struct exec_child {
		pid_t pid;
		int number;
		int peer; // the command's end of its terminal, or -1
	} all[EXEC_MAX];
	struct rlimit files;
};

// Executes the order. Closes `fds`: the text and, without a terminal, stdin, stdout and stderr.
void exec_take(struct run *run, const struct exec_order *order, int fds[FD_PASSED]);
// EXEC_MADE: the child ended before its exec.
enum exec_stage { EXEC_EXECUTED, EXEC_MADE };
void exec_reaped(struct run *run, enum exec_stage stage, pid_t pid, int status);
