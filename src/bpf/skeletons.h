// The programs with their loaders, as bpftool writes them: its code, and its warnings.
#pragma once
#pragma GCC system_header

#include <errno.h>
#include <string.h>

#include "bpf/catch.skel.h"
#include "bpf/guard.skel.h"
