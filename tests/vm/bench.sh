#!/bin/bash
# What limits cost at the start, as ratios: times of an emulated machine say nothing else. In the
# machine "bench" (root and a handed-over subtree) and "bench-systemd" (a scope).
. "$(dirname "$0")/../lib.sh"
cd "$(new_project)" || exit 1
printf '[profile]\nextends = default\n[limits]\nmemory = unlimited\nswap = unlimited\npids = unlimited\n' >"$work/none.ini"
cat >"$work/bench.py" <<'END'
import os, subprocess, sys, time
sbx, none, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3])
kinds = {"no limits": ["-p", none], "soft limits": [], "strict limits": ["--memory", "500M", "--pids", "500"]}
times = {kind: [] for kind in kinds}
for i in range(rounds):
    for kind, options in kinds.items():
        begin = time.perf_counter()
        subprocess.run([sbx, "run", *options, "--", "/bin/true"], check=True)
        times[kind].append(time.perf_counter() - begin)
base = sorted(times["no limits"])[rounds // 2]
for kind in kinds:
    median = sorted(times[kind])[rounds // 2]
    print("# %-14s %7.1f ms %5.3f x" % (kind, median * 1000, median / base))
END
echo "# uid $(id -u), strict limits by: $("$SBX" plan --memory 500M -- true | sed -n 's/^  enforced *by //p'), soft by: $("$SBX" plan -- true | sed -n 's/^  enforced *by //p')"
python3 "$work/bench.py" "$SBX" "$work/none.ini" 30
"$SBX" run --memory 500M --timing -- true 2>&1 | grep -E 'group|all ' | sed 's/^/# /'
pass "measured"
done_testing
