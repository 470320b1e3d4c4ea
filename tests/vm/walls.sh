#!/bin/bash
# A machine that lacks a wall: refused with the reason and the fix, or the lower tier, or the other
# way. As an ordinary user in a machine of tests/vm/run, which $MACHINE names.
. "$(dirname "$0")/../lib.sh"
cd "$(new_project)" || exit 1
