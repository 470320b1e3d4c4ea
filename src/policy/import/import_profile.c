// Owns the order of an imported profile: head, files, network, comments.
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "policy/import/import.h"
#include "policy/ini.h"

const char *const import_words[IMPORT_COUNT] = {
	[IMPORT_SRT] = "srt",
	[IMPORT_CLAUDE] = "claude",
	[IMPORT_CODEX] = "codex",
};

static void put_section(struct out *out, const char *name, const char *first, struct out *lines)
{
	if (first[0] || lines->used > 0)
		out_text(out, "\n[%s]\n%s%s", name, first, lines->used ? lines->text : "");
	out_free(lines);
}

int import_profile(struct arena *arena, enum import_from from, const char *base, const char *text,
		   size_t length, struct out *out)
{
	static int (*const readers[IMPORT_COUNT])(struct import *, const char *, size_t) = {
		[IMPORT_SRT] = import_srt,
		[IMPORT_CLAUDE] = import_claude,
		[IMPORT_CODEX] = import_codex,
	};
	struct import *import = arena_take(arena, sizeof(*import));
	*import = (struct import){ .arena = arena, .base = base };
	int result = length > IMPORT_BYTES_MAX || strlen(text) != length
			     ? fail(0, "the settings are larger than %d bytes, or no text",
				    IMPORT_BYTES_MAX)
			     : readers[from](import, text, length);
	const char *project =
		import->project ? arena_text(arena, "project = %s\n", import->project) : "";
	out_text(out, "[profile]\ndescription = imported from settings of %s\nextends = default\n",
		 import_words[from]);
	put_section(out, "files", project, &import->files);
	put_section(out, "network", "", &import->network);
	if (import->notes.used > 0)
		out_text(out, "\n; Not in this profile:\n%s", import->notes.text);
	out_free(&import->notes);
	if (result == 0 && out->used > INI_BYTES_MAX)
		result = fail(0, "the profile would be larger than %d bytes", INI_BYTES_MAX);
	return result;
}
