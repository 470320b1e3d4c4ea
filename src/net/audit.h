// The log of connections: JSON lines in ~/.local/state/sbx/log/connections.jsonl, read by sbx log.
#pragma once

#include "net/proxy.h"

#define AUDIT_DIRECTORY "log"
#define AUDIT_FILE      "connections.jsonl"
#define AUDIT_OLD       "connections.1.jsonl"

enum { AUDIT_BYTES_MOST = 8 * 1024 * 1024 }; // of one run, and before the log is begun anew

// Opens the log below `state`, begun anew when it has grown large. -1 with the error said.
int audit_open(const char *state);
// Appends one line, in one write. Returns its bytes, 0 when that failed.
size_t audit_write(int fd, const struct record *record, pid_t pid, const char *program);
extern const char *const audit_verdicts[];
