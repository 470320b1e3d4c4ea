// The BPF programs with the loaders that bpftool generates, without warnings about its code.
#pragma once
#pragma GCC system_header

#include <errno.h>
#include <string.h>

#include "bpf/catch.skel.h"
#include "bpf/guard.skel.h"
