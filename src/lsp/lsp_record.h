// What the two processes leave for the supervisor, in memory that they share.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "lsp/message.h"

struct plan;

// Which files of the project a language server may have edited: decided once, before there
// is a message.

struct lsp_files {
	char *project; // without symlinks; NULL: there is none
	char **kept;   // paths in it that the box cannot change, or does not see
	unsigned kept_count;
	bool names; // and names that the host runs or trusts are kept
	// readlinkat(2) of AT_FDCWD: the bytes, or -1 with errno.
	ssize_t (*read_link)(const char *path, char *text, size_t size);
};

// Of a whole plan, in separate memory: for a process that has no plan.
void lsp_files_plan(const struct plan *plan, struct lsp_files *ret_files);

// NULL: the path may be edited, made, renamed and removed; else why not. Symlinks are followed as
// an editor follows them, as they are in this moment.
const char *lsp_files_refuse_edit(const struct lsp_files *files, const char *path);
// NULL: it lies in the project, and may be shown.
const char *lsp_files_refuse_show(const struct lsp_files *files, const char *path);

struct lsp_record {
	char initialize[LSP_ID_MAX +
			1]; // by the editor's side, before the server sees that request
	struct refused_table refused;
};

// What the two processes do, from descriptor 0 to descriptor 1, until one of them ends.
struct relay {
	struct lsp_files files;
	struct lsp_record *record; // shared with the other one and the supervisor
};

void relay_editor(struct relay *relay);
void relay_server(struct relay *relay);
