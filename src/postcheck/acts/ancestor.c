// Owns the search for the program that called sbx.
#include "postcheck/acts/check.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/process_stat.h"
#include "base/base.h"

void ancestor_name(char name[ANCESTOR_MAX])
{
	enum { FAR = 32 };
	static const char starters[] = "sh bash dash zsh ksh mksh fish busybox env timeout nice "
				       "ionice nohup setsid stdbuf time xargs sbx sbx-shell";
	struct process_stat one, found = { .name = "" };
	pid_t pid = getppid();
	snprintf(name, ANCESTOR_MAX, "0-0");
	for (int i = 0; i < FAR && pid > 0 && process_stat(pid, &one); i++) {
		// Forks share the program's name: the topmost one counts.
		if (found.name[0] && !str_equal(found.name, one.name))
			return;
		snprintf(name, ANCESTOR_MAX, "%d-%llu", (int)pid, one.start);
		if (!str_has_word(starters, one.name, strlen(one.name)))
			found = one;
		pid = one.parent;
	}
}
