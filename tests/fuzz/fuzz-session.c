// libFuzzer: a session's state, an apply's journal, what it knows. What is read is written and read
// again, and says the same; nothing leads out of its bounds.
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "session/apply/apply.h"
#include "session/store/store.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// The checksum is what a fuzzer does not find: it is put behind whatever came.
static const char *with_sum(struct arena *arena, const uint8_t *data, size_t size,
			    size_t *ret_length)
{
	char *text = arena_text(arena, "%.*s", (int)size, (const char *)data);
	const char *whole =
		arena_text(arena, "%ssum %016llx\n", text, (unsigned long long)str_hash(text));
	*ret_length = strlen(whole);
	return whole;
}

static void check_state(struct arena *arena, const char *text, size_t length)
{
	struct session session, again;
	struct out out = { 0 };
	unsigned chain[16];
	if (session_parse(arena, text, length, &session) < 0)
		return;
	if (session_chain(&session, session.top, chain, 16) == 0 ||
	    session.top >= session.layer_count)
		abort();
	for (unsigned i = 0; i < session.snapshot_count; i++)
		if (!session_snapshot(&session, session.snapshots[i].name))
			abort();
	for (unsigned i = 0; i < session.layer_count; i++)
		if (session.layers[i].parent >= (int)i)
			abort();
	session_format(&session, &out);
	if (session_parse(arena, out.text, out.used, &again) < 0 ||
	    again.layer_count > session.layer_count ||
	    again.snapshot_count != session.snapshot_count ||
	    !str_equal(again.project, session.project))
		abort();
	out_free(&out);
}

static void check_journal(struct arena *arena, const char *text, size_t length)
{
	struct journal journal, again;
	struct out out = { 0 };
	if (journal_parse(arena, text, length, &journal) < 0)
		return;
	for (unsigned i = 0; i < journal.operation_count; i++) {
		const char *path = journal.operations[i].path;
		if (path[0] == '/' || str_equal(path, "..") || str_starts(path, "../") ||
		    strstr(path, "/../") || str_ends(path, "/.."))
			abort();
		if (journal.operations[i].root >= ROOTS_MAX)
			abort();
	}
	journal_format(&journal, &out);
	if (journal_parse(arena, out.text, out.used, &again) < 0 ||
	    again.operation_count != journal.operation_count || again.phase != journal.phase)
		abort();
	out_free(&out);
}

static void check_known(struct arena *arena, const char *text, size_t length)
{
	struct known known, again;
	struct out out = { 0 };
	if (known_parse(arena, text, length, &known) < 0)
		return;
	for (unsigned i = 0; i < known.count; i++)
		if (known_find(&known, known.files[i].root, known.files[i].path) != &known.files[i])
			abort();
	known_format(&known, &out);
	if (known_parse(arena, out.text, out.used, &again) < 0 || again.count != known.count)
		abort();
	out_free(&out);
}

static void check_seen(struct arena *arena, const char *text, size_t length)
{
	struct seen seen, again;
	struct out out = { 0 };
	if (seen_parse(arena, text, length, &seen) < 0)
		return;
	for (unsigned i = 0; i < seen.count; i++) {
		const struct seen_directory *found = seen_find(&seen, seen.list[i].path);
		if (!found || !str_equal(found->path, seen.list[i].path))
			abort();
		seen_has(&seen.list[i], "name");
	}
	seen_format(&seen, &out);
	if (seen_parse(arena, out.text, out.used, &again) < 0 || again.count != seen.count ||
	    again.whole != seen.whole)
		abort();
	out_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *arena = arena_new();
	size_t length;
	const char *text = with_sum(arena, data, size, &length);
	check_state(arena, text, length);
	err_taken();
	check_journal(arena, text, length);
	err_taken();
	check_known(arena, text, length);
	err_taken();
	check_seen(arena, text, length);
	arena_free(arena);
	return 0;
}
