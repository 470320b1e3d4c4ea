// The program that an agent, an editor or a person's shell is: above the shells that it starts for
// each command.
#pragma once

enum { ANCESTOR_MAX = 64 };

// "PID-START" of the first process above this one that is neither a shell nor a program that only
// starts another; "0-0" when none can be read.
void ancestor_name(char name[ANCESTOR_MAX]);
