// A language server in the box, and its editor outside: what passes between them is read outside,
// by two processes that the box cannot reach. One sets the editor's processId to null in its first
// message and passes on all that follows unread; the other reads each message of the server, and
// refuses what would have the editor change files outside of the project (lsp/lsp.h).
//
// The room lsp owns the messages of language servers. Uses: base names net/setup nouns report text.
// Begin with lsp.h.
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "profile.h"
#include "report/findings.h"
#include "text/json.h"

struct plan;
struct run;

// Of the plan: --lsp (`asked`) or the profile's key. -1 with the error said where it cannot be had.
int lsp_plan(struct plan *plan, enum answer asked);

// A step: 0 and 1 become pipes, which the box then begins with. Its undo gives the caller's back
// where none was used, or waits until the last message is passed on, LAST_MILLISECONDS at most.
int lsp_host(const struct plan *plan, struct run *run);
int lsp_undo(const struct plan *plan, struct run *run);

// When the box is made: starts the two processes. Nothing is read before.
int lsp_begin(const struct plan *plan, struct run *run);

// After the undo: what was refused.
void lsp_report(const struct run *run, struct denials *denials);

// What a message of a language server may ask of the editor outside. Pure but for what it calls.
//
// Which answer belongs to which request only the editor knows: so each message is looked through
// for all that an editor carries out, by the names of members, wherever they stand.

enum {
	LSP_COMMANDS_BYTES = 16384, // of the commands that a server says it carries out
	LSP_URIS_MAX = 4096,        // in one message
	LSP_ID_MAX = 256,           // bytes of the id of a message
	LSP_NAME_MAX = 4096,        // of the refused name
};

// Facts about a server: the commands of its answer to `initialize`, each with a NUL behind it.
struct lsp_known {
	bool complete;
	size_t used;
	char commands[LSP_COMMANDS_BYTES];
};

struct lsp_message {
	char *text; // with a NUL behind it; the names of refused commands are changed in it
	size_t length;
	const char *initialize; // the id of the editor's first request, as it wrote it
	struct lsp_known *known;
	void *owner;
	// NULL: the path may be edited, or, else, why not.
	const char *(*refuses_edit)(void *owner, const char *path);
	// NULL: it may be shown.
	const char *(*refuses_show)(void *owner, const char *path);
	// Each thing that was refused: `name` may be cut.
	void (*refused)(void *owner, enum refused_kind kind, const char *name, const char *why);
	// Out, when something else than the names of commands was refused.
	char id[LSP_ID_MAX + 1]; // as it was written; "": nobody waits for an answer
	bool request;            // of the server's, else an answer of it
	const char *why;
	char name[LSP_NAME_MAX];
};

// True: it may be passed on.
bool lsp_judge(struct lsp_message *message);

// The text passed on in place of a refused message, with a NUL behind it, or "": nothing. A
// request becomes one that no editor knows, so that the editor itself tells the server of its
// failure; an answer becomes a failure. `size`: LSP_INSTEAD_MAX.
enum { LSP_INSTEAD_MAX = LSP_ID_MAX + LSP_NAME_MAX * 6 + 512 };
void lsp_instead(const struct lsp_message *message, char *ret_text, size_t size);

// The members of messages that say what an editor does with a value, and where they stand. Pure.
enum member {
	KEY_OTHER,
	KEY_METHOD,
	KEY_ID,
	KEY_PARAMS,
	KEY_RESULT,
	KEY_CAPABILITIES,
	KEY_PROVIDER,
	KEY_COMMANDS,
	KEY_CHANGES,
	KEY_DOCUMENT_CHANGES,
	KEY_DATA,
	KEY_COMMAND,
	KEY_LINK,
	KEY_URI,
	KEY_OTHER_URI,
	KEY_EXTERNAL,
	KEY_PROCESS,
};

// Where a value stands: what holds it.
enum standing {
	IN_OTHER,
	IN_MESSAGE,
	IN_PARAMS,
	IN_RESULT,
	IN_CAPABILITIES,
	IN_PROVIDER,
	IN_COMMANDS,
	IN_CHANGES,          // its names are URIs
	IN_DOCUMENT_CHANGES, // at any depth
	IN_DATA,             // at any depth: only the server reads it
};

// Of a value its name, as readers have it that take any case.
enum member member_of(const struct json_step *step);
// Where the values in it stand.
enum standing member_inside(enum standing around, enum member member, enum walk_kind kind);

// The head of a message of the base protocol (LSP 3.17, "Base Protocol"). Pure.
enum { FRAME_HEAD_MAX = 4096, FRAME_BODY_MAX = 32 << 20 }; // bytes

// The bytes of a whole head at the beginning, and of the body that follows it; 0: more of it is
// needed; -1: it is none, or the body is larger than FRAME_BODY_MAX or in another charset than
// UTF-8.
int frame_head(const char *bytes, size_t length, size_t *ret_body);

// The editor's first message. Pure.

// The id of it, and where the value of params.processId stands. False: it
// is no `initialize`, and stays as it is.
bool lsp_read_initialize(const char *text, size_t length, char ret_id[LSP_ID_MAX + 1],
			 size_t *ret_start, size_t *ret_end);

// The path that a file: URI names, as editors read it. Pure.

// False for all that editors could read in two ways: another scheme, an authority, a query or
// fragment, "." and ".." and empty components, bytes that are no UTF-8 or control a terminal. A
// slash at the end is left out.
bool uri_path(const char *uri, size_t length, char ret_path[PATH_MAX]);

// What an editor may open by a link that a user clicks: a file, the web, mail; also a text that
// names no scheme.
bool uri_is_plain_link(const char *uri, size_t length);

// What the two processes leave for the supervisor, in memory that they share.

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
