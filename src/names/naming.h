// Settings of a project that name what programs of the host run or read: which files they are, and
// how each is read. Pure.
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct mentions;

enum naming_form {
	NAMING_TEXT,    // words of the whole text
	NAMING_LINES,   // of lines with one of `keys`, from there on
	NAMING_YAML,    // the same, and what is further to the right in the lines below
	NAMING_JSON,    // of all strings, in whatever form; of what is no JSON, of the whole text
	NAMING_SCRIPTS, // package.json: what an install (`keys`, npm-scripts(7)) and hooks run
	NAMING_DIRENV,  // .envrc: also what its functions read unasked (direnv-stdlib(1))
	NAMING_MAKE,    // what it includes (GNU make manual, 3.3 Including Other Makefiles)
	NAMING_JUST,    // what it imports (just manual, Imports, Modules)
	NAMING_TASK     // what it includes (taskfile.dev/docs/guide, Including other Taskfiles)
};

struct naming_row {
	const char *name; // in the project; `*` and `?` in one component as in profiles/names.txt
	enum naming_form form;
	const char *keys; // with blanks between and around them
};
extern const struct naming_row naming_rows[];
extern const unsigned naming_count;

// So much is read of a file of that form.
enum { NAMING_BYTES_MAX = 1 << 18 };
size_t naming_bytes(const struct naming_row *settings);
// Whether it includes files that are read in the same form (names/includes.h).
bool naming_includes(const struct naming_row *settings);
bool naming_is_pattern(const struct naming_row *settings);
// Whether the row is that name below a project.
bool naming_is(const struct naming_row *settings, const char *name);

// `text` is changed, and has room for one byte behind it.
void naming_read(struct mentions *mentions, const struct naming_row *settings, char *text,
		 size_t length);
