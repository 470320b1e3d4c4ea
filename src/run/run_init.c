// Owns the beginning of a run's state.
#include "run/supervise.h"

#include <stddef.h>
#include <string.h>

#include "run.h"

void run_init(struct run *run, char *const *arguments, char *const *environment)
{
	*run = (struct run){ 0 };
	memset(run, 0xff, offsetof(struct run, init));
	run->arguments = arguments;
	run->environment = environment;
}
