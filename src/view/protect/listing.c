// Owns the comparison of a directory's listing with the table of trusted names.
#include "view/protect/protect.h"

#include <string.h>

#include "base/base.h"
#include "names/trusted.h"
#include "view/paths/wishes.h"

// More that exist at one pattern are only searched for at the end. Where more are reported, the
// directory is listed then.
enum { MATCHES_MAX = 64, REPORTED_MAX = 256 };

// A reported name whose first component is `name`: what is there may have been changed afterwards.
static int report(struct wishes *wishes, const char *root, const char *name)
{
	trusted_each (row, TRUSTED_REPORT) {
		const char *whole = trusted_name(row), *slash = strchr(whole, '/');
		if (!trusted_begins(row, name) || (slash && row->pattern))
			continue;
		const char *path = path_below(wishes->arena, root, slash ? whole : name);
		TRY(opened_has(wishes, path) ? 0 : protect_guard(wishes, path, GUARD_REPORTED));
		if (!slash)
			return 0;
	}
	return 0;
}

static bool is_row(const struct trusted_row *row, const char *above, const char *name)
{
	return row->pattern && row->above == strlen(above) && trusted_is(row, above, name);
}

static int protect_found(struct wishes *wishes, const char *directory, const char *above,
			 struct names_found *found, struct origin from)
{
	unsigned count = 0, before = wishes->plan->guard_count;
	list_each (item, &found->list) {
		const char *path = path_below(wishes->arena, directory, item->text);
		bool protected = false;
		trusted_each (row, TRUSTED_PROTECT)
		protected = protected || is_row(row, above, item->text);
		if (opened_has(wishes, path))
			continue;
		if (protected && count++ < MATCHES_MAX)
			TRY(protect_name(wishes, path, GUARD_ABSENT, from));
		found->many = found->many || wishes->plan->guard_count - before >= REPORTED_MAX;
		if (found->many)
			continue;
		if (!protected && !above[0])
			TRY(report(wishes, directory, item->text));
		trusted_each (row, TRUSTED_REPORT)
			if (above[0] && is_row(row, above, item->text))
				TRY(protect_guard(wishes, path, GUARD_REPORTED));
	}
	found->cut = found->cut || count > MATCHES_MAX;
	return 0;
}

// What comes there later is compared with what stood there.
static int add_guard(struct wishes *wishes, const char *directory, const char *above,
		     const struct names_found *found)
{
	struct guard *guard = &wishes->plan->guards[wishes->plan->guard_count];
	TRY(protect_guard(wishes, arena_text(wishes->arena, "%s/.", directory),
			  found->cut ? GUARD_LISTED_PART : GUARD_LISTED));
	guard->above = (unsigned short)strlen(above);
	guard->known = found->list;
	guard->many = found->many;
	list_each (item, &wishes->opened)
		if (path_within(item->text, directory) && !str_equal(item->text, directory))
			list_add(&guard->known, wishes->arena, item->text + strlen(directory) + 1,
				 item->from);
	return 0;
}

// A directory with patterns: where it is a link, what it leads to as well.
static int protect_below(struct wishes *wishes, const char *root, const char *above,
			 struct origin from)
{
	const char *path = path_clean(wishes->arena, path_below(wishes->arena, root, above));
	struct names unused;
	struct names_found nothing = { 0 };
	if (names_lack(&wishes->names, path))
		return add_guard(wishes, path, above, &nothing);
	const char *real = resolve_real(wishes->resolver, path);
	if (!str_equal(real, path))
		TRY(add_guard(wishes, path, above, &nothing));
	if (!wishes_is_reached(wishes, real))
		return 0;
	struct names_found found = { .arena = wishes->arena, .every = true };
	names_read(&unused, real, &found);
	TRY(protect_found(wishes, real, above, &found, from));
	return add_guard(wishes, real, above, &found);
}

// Whether patterns below the same directory stand in a row before.
static bool is_repeated(const struct trusted_row *row)
{
	for (const struct trusted_row *before = trusted_rows; before < row; before++)
		if (before->pattern && before->above == row->above &&
		    strncmp(trusted_name(before), trusted_name(row), row->above) == 0)
			return true;
	return false;
}

int listed_protect(struct wishes *wishes, const char *root, struct names_found *found,
		   struct origin from)
{
	TRY(protect_found(wishes, root, "", found, from));
	TRY(add_guard(wishes, root, "", found));
	for (unsigned i = 0; i < trusted_first[TRUSTED_REPORT + 1]; i++) {
		const struct trusted_row *row = &trusted_rows[i];
		if (row->pattern && row->above > 0 && !is_repeated(row))
			TRY(protect_below(wishes, root,
					  arena_copy(wishes->arena, trusted_name(row), row->above),
					  from));
	}
	return 0;
}
