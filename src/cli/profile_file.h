// The profile file that `sbx learn` and `sbx profile add` add lines to.
#pragma once

struct arena;
struct out;

struct profile_file {
	int directory;                    // the file's directory; no path is resolved again
	const char *given, *whole, *path; // given: as for -p; path: without symlinks
	const char *name;                 // in `directory`
	const char *before;               // the text, "" for a missing file
};

// `word` is a path if it has a '/' or ends in ".ini", else a name in `config`, which is created.
int profile_file_find(struct arena *arena, const char *config, const char *word,
		      struct profile_file *ret_file);

// `ret_text` is "" for a missing file. Refuses a text that is no profile.
int profile_file_read(struct arena *arena, const struct profile_file *file, const char **ret_text);

// Notes the path in `state`, too: from then on no box can change the file.
int profile_file_write(struct arena *arena, const char *state, const struct profile_file *file,
		       const char *text, struct out *out);

void profile_file_say(const struct profile_file *file, const char *text, struct out *out);
