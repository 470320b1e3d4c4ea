// Where the lines of --report-fd, --report-file and --status-fd go.
#pragma once

#include <stdbool.h>

struct plan;

// Opens what was asked for; `ret_fd` stays as it is where nothing was. -1 with the error said when
// the box may write there.
int event_place(const struct plan *plan, int *ret_fd, bool *ret_socket);
