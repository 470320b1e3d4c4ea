// Owns the list of a run's denials.
#include "report/findings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

struct denial *denials_add(struct denials *denials, const char *kind, const char *what,
			   const char *why, const char *program)
{
	for (unsigned i = 0; i < denials->count; i++) {
		struct denial *known = &denials->all[i];
		if (!str_equal(known->kind, kind) || !str_equal(known->what, what) ||
		    !str_equal(known->why, why))
			continue;
		known->count++;
		return NULL;
	}
	if (denials->count == DENIALS_MAX) {
		denials->lost++;
		return NULL;
	}
	if (!denials->all)
		denials->all = calloc(DENIALS_MAX, sizeof(*denials->all));
	if (!denials->all)
		abort();
	struct denial *denial = &denials->all[denials->count++];
	*denial = (struct denial){ .kind = kind, .verb = "blocked", .count = 1 };
	snprintf(denial->what, sizeof(denial->what), "%s", what);
	snprintf(denial->why, sizeof(denial->why), "%s", why);
	snprintf(denial->program, sizeof(denial->program), "%s",
		 str_visible(program) ? program : "?");
	return denial;
}

void denials_silence(struct denials *denials)
{
	enum { SILENT_MAX = 2 };
	unsigned count = 0;
	for (unsigned i = 0; i < denials->count; i++) {
		struct denial *denial = &denials->all[i];
		bool fits = denial->update_check && count + denial->count <= SILENT_MAX;
		denial->silent = fits && !denial->shown;
		count += fits ? denial->count : 0;
	}
}

void denials_free(struct denials *denials)
{
	free(denials->all);
	*denials = (struct denials){ 0 };
}

void denial_pack(const struct denial *denial, struct denial_packed *ret_packed)
{
	memset(ret_packed, 0, sizeof(*ret_packed));
	ret_packed->denial = *denial;
	str_put(ret_packed->kind, sizeof(ret_packed->kind), "%s", denial->kind);
	str_put(ret_packed->verb, sizeof(ret_packed->verb), "%s", denial->verb);
	str_put(ret_packed->flag, sizeof(ret_packed->flag), "%s", denial->flag ? denial->flag : "");
}

struct denial *denials_unpack(struct denials *denials, const struct denial_packed *packed)
{
	struct denial_packed *copy = malloc(sizeof(*copy)); // lives as long as the process
	if (!copy)
		abort();
	*copy = *packed;
	struct denial *denial = denials_add(denials, copy->kind, copy->denial.what,
					    copy->denial.why, copy->denial.program);
	if (!denial) {
		free(copy);
		return NULL;
	}
	*denial = copy->denial;
	denial->kind = copy->kind;
	denial->verb = copy->verb;
	denial->flag = copy->flag[0] ? copy->flag : NULL;
	denial->count = 1;
	return denial;
}
