// Git's configuration keys that a box may change, and the form that each value must have. Pure.
#pragma once

#include <stdbool.h>

// Why a key stays out, as it is printed.
enum gitkey_why {
	GITKEY_FORM, // harmless in another form
	GITKEY_RUN,  // not in the table
	// of these a value may be added where there is none
	GITKEY_PUSH,
	GITKEY_PULL,
	GITKEY_CONNECT,
	GITKEY_READ,
	GITKEY_NEAR, // a new address
	// never
	GITKEY_AUTHOR,
	GITKEY_DO,
	GITKEY_WHYS
};
extern const char *const gitkey_whys[GITKEY_WHYS];

struct gitkey {
	const char *name; // '*' stands for all between the first dot and the last
	enum gitkey_form {
		GITKEY_NONE, // never
		GITKEY_TEXT, // used as text only
		GITKEY_BOOLEAN,
		GITKEY_NUMBER,
		GITKEY_WORDS,
		GITKEY_PROBED, // BOOLEAN, found by `git init`, which sees our link instead of a
			       // file: only what had no value
		GITKEY_NAME,     // of a branch or another ref, or a pattern of them
		GITKEY_WORKTREE, // back up to the project and down: a submodule's
		GITKEY_BARE,
		GITKEY_MADE,    // WORDS, in a repository that was made in the run
		GITKEY_PARTIAL, // there, and where the remote is https or ssh
		GITKEY_ADDRESS,
		GITKEY_FETCH,   // into the remote's own refs
		GITKEY_TRACKED, // a remote's name; a branch that is new may have an address
		GITKEY_MERGED,  // the ref of a branch
	} form;
	enum gitkey_why why;
	const char *words; // between blanks
};

// The first row that fits, or NULL.
const struct gitkey *gitkey_find(const char *name);
