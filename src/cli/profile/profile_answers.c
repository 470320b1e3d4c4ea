// sbx profile show without a name, and forget: what was answered with "project" for the project of
// the current directory.
#include "cli/profile/profile_verb.h"

#include <unistd.h>

#include "base/base.h"
#include "run/run_command.h"
#include "policy/find.h"

int profile_show_answers(struct box *box, struct out *out)
{
	const char *text;
	TRY(profile_project(box));
	TRY(answers_read(box->arena, box->plan.state, box->plan.toplevel, &text));
	if (*text)
		out_text(out,
			 "; answered with 'project'; holds in runs of %s that ask\n"
			 "; to take one back: sbx profile forget HOST:PORT\n%s",
			 str_shown(box->plan.toplevel), text);
	else
		out_text(out, "; nothing was answered with 'project' for %s\n",
			 str_shown(box->plan.toplevel));
	return 0;
}

int profile_forget(struct box *box, char **words, struct out *out)
{
	(void)out;
	if (!words[0])
		return fail(0, "usage: sbx profile forget HOST:PORT...");
	TRY(profile_project(box));
	for (; *words; words++) {
		int found = answers_forget(box->arena, box->plan.state, box->plan.toplevel, *words);
		TRY(found);
		if (!found)
			return fail(0,
				    "'%.80s' is not a stored answer of this project; see: sbx "
				    "profile show",
				    str_shown(*words));
	}
	return 0;
}
