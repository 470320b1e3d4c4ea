// sbx backend: prints the adapters of backends/, as they were at build time.
#include <string.h>

#include "base/base.h"
#include "cli/verbs.h"
#include "code/languages.h"
#include "run/run_command.h"

int verb_backend(char **words)
{
	struct box *box = box_new();
	struct out out = { 0 };
	char **names;
	if (box_read_mixed(box, VERB_BACKEND, words, &names) < 0)
		return box_failed();
	for (const struct driver *each = backends; each < backends + backend_count; each++) {
		int title = (int)strcspn(each->text, "\n") - 3; // after "// "
		if (each->text[0] == '/' && !names[0])
			out_text(&out, "%-18s %.*s\n", each->name, title, each->text + 3);
		else if (each->text[0] == '/' && str_equal(names[0], each->name))
			out_text(&out, "%s", each->text);
	}
	return box_done(&out, out.used ? 0
				       : fail(0, "no adapter '%.40s'; the list: sbx backend",
					      str_shown(names[0])));
}
