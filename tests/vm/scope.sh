#!/bin/bash
# Limits by the user's service manager. As an ordinary user in the machine "systemd".
. "$(dirname "$0")/../lib.sh"
cd "$(new_project)" || exit 1
scopes() { systemctl --user list-units --all --plain --no-legend 'sbx-*.scope' | wc -l; }

is "soft limits ask nobody" "rlimits and periodic checks" "$("$SBX" plan -- true | sed -n 's/^  enforced *by //p')"
is "strict ones do" "a scope of your systemd" "$("$SBX" plan --cpu 1 -- true | sed -n 's/^  enforced *by //p')"
like "the box is in its own scope" "$("$SBX" run --memory 100M -- cat /proc/self/cgroup & sleep 0.1; wait)" 'sbx-[0-9]+-[0-9a-f]+\.scope'
"$SBX" run --memory 100M --swap 8M --pids 50 --cpu 0.5 -- sleep 20 &
victim=$!
for i in $(seq 50); do group=$(find /sys/fs/cgroup/user.slice -name 'sbx-*.scope' -type d | head -1); [ -n "$group" ] && break; sleep 0.2; done
sleep 1
is "with its limits" "104857600 8388608 50 50000 100000 1" "$(cd "$group" && echo $(cat memory.max memory.swap.max pids.max cpu.max memory.oom.group))"
kill -9 $victim
wait $victim 2>/dev/null
for i in $(seq 50); do [ "$(scopes)" = 0 ] && break; sleep 0.2; done
is "SIGKILL leaves no scope" 0 "$(scopes)"
is "and no process" "" "$(pgrep -f 'sleep 20')"
is "by the bus alone" 0 "$(chmod 0 "$XDG_RUNTIME_DIR/systemd/private"; "$SBX" run --memory 100M -- true >/dev/null 2>&1; echo $?; chmod 600 "$XDG_RUNTIME_DIR/systemd/private")"
status "no manager: memory is looked at" 0 env XDG_RUNTIME_DIR=/nowhere "$SBX" run --memory 100M -- true
status "no manager: cpu is refused" 125 env XDG_RUNTIME_DIR=/nowhere "$SBX" run --cpu 1 -- true
is "scopes are gone" 0 "$(scopes)"
echo "# $("$SBX" run --timing --memory 100M -- true 2>&1 | grep -E 'group' | tr -s ' ' | tr '\n' ';')"
done_testing
