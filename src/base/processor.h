// Where another process of ours runs next: hints, whose failures are not reported. They are for
// machines whose kernel leaves a process in the queue of a busy processor while another one idles,
// as virtual ones do (a halted virtual processor counts as taken: vcpu_is_preempted, Linux 4.10).
#pragma once

#include <sched.h>
#include <stdbool.h>
#include <sys/types.h>

// A process that waits in a queue goes to another processor than ours, once.
void processor_part(pid_t pid);
// A process that sleeps wakes on ours, where we are about to sleep: bring it, wake it, let it go
// where we may go. ret_all is for processor_free.
void processor_bring(pid_t pid, cpu_set_t *ret_all);
void processor_free(pid_t pid, const cpu_set_t *all);
