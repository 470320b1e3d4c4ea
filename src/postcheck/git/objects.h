// Git's objects after a run: what the host's git believes of them without a look.
#pragma once

struct check;

// Looks at the objects of the git directory that is open as `directory`, at `path`. A file of one
// object that changed in the run and has another content than its name says goes to quarantine.
// What git only keeps to be faster (git/layout.c) is removed where the run changed it. It takes a
// tenth of the run's time, and half a second at most; what came and was not compared is reported.
void objects_look(struct check *check, int directory, const char *path);
