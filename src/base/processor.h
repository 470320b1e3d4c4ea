// Where another process of ours runs next: hints, whose failures are not reported. They are for
// machines whose kernel leaves a process in the queue of a busy processor while another one idles,
// as virtual ones do (a halted virtual processor counts as taken: vcpu_is_preempted, Linux 4.10).
#pragma once

#include <sched.h>
#include <stdbool.h>
#include <sys/types.h>

// How many other processors we may use, and which.
unsigned processor_others(cpu_set_t *ret_others);
