// Which files of the project a language server may have edited: what is decided once, before there
// is a message.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct plan;

struct lsp_files {
	char *project; // without symlinks; NULL: there is none
	char **kept;   // paths in it that the box cannot change, or does not see
	unsigned kept_count;
	bool names; // and names that the host runs or trusts are kept
	// readlinkat(2) of AT_FDCWD: the bytes, or -1 with errno.
	ssize_t (*read_link)(const char *path, char *text, size_t size);
};

// Of a whole plan, in memory of its own: for a process that has no plan.
void lsp_files_plan(const struct plan *plan, struct lsp_files *ret_files);

// NULL: the path may be edited, made, renamed and removed; else why not. Symlinks are followed as
// an editor follows them, as they are in this moment.
const char *lsp_files_refuse_edit(const struct lsp_files *files, const char *path);
// NULL: it lies in the project, and may be shown.
const char *lsp_files_refuse_show(const struct lsp_files *files, const char *path);
