// The file of a profile that a verb adds lines to: sbx learn, sbx profile add.
#pragma once

struct arena;
struct out;

struct profile_file {
	int directory; // of `path`, found once: nothing is looked up by a path again
	const char *given, *whole, *path; // for -p; absolute; where its links lead
	const char *name;                 // in `directory`
	const char *before;               // "" when there is none yet
};

// `word` is a file when it has a '/' or ends in ".ini", else a name in `config`, which is made
// when it is missing.
int profile_file_find(struct arena *arena, const char *config, const char *word,
		      struct profile_file *ret_file);

// The text as it is now, "" when there is none. A text that is no profile is refused.
int profile_file_read(struct arena *arena, const struct profile_file *file, const char **ret_text);

// Writes the text, and notes the path in `state`: no box may change the file from now on.
int profile_file_write(struct arena *arena, const char *state, const struct profile_file *file,
		       const char *text, struct out *out);

// Prints the added lines, or that there are none.
void profile_file_say(const struct profile_file *file, const char *text, struct out *out);
