#!/bin/bash
# sbx as runners of CI and batch systems call it (sbx-scale(7)): each with its own words, files and way to end a job.
. "$(dirname "$0")/../lib.sh"
top=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "$work/bin" "$work/home/.ssh" "$work/project" "$work/temp"
ln -s "$SBX" "$work/bin/sbx" && ln -s "$SBX" "$work/bin/sbx-shell"
echo secret >"$work/home/.ssh/id"
export HOME=$work/home PATH=$work/bin:$PATH
cd "$work/project" && git init -q .
in_box='[ ! -e ~/.ssh/id ] && echo boxed || echo open'

# GitHub: {0} is a file in the runner's directory; the step writes no file of the runner's.
shell=$(sed -n 's/^ *shell: //p' "$top/packaging/runners/github.yml")
printf '%s\necho x >>"$GITHUB_ENV"\n' "$in_box" >"$work/temp/step.sh" && : >"$work/temp/env"
line=${shell//\/home\/runner\/work\/_temp/$work/temp}
read -ra words <<<"${line/\{0\}/$work/temp/step.sh}"
is "GitHub: the step runs in a box, its failure is the step's, and it sets no variable of a later one" "boxed 1 " \
	"$(said=$(GITHUB_ENV=$work/temp/env "${words[@]}" 2>/dev/null); echo "$said $? $(cat "$work/temp/env")")"

# GitLab: run_exec SCRIPT STAGE.
run=$top/packaging/runners/gitlab-run
printf '%s\n' "$in_box" >"$work/temp/job"
export CUSTOM_ENV_CI_PROJECT_DIR=$work/project BUILD_FAILURE_EXIT_CODE=11 SYSTEM_FAILURE_EXIT_CODE=12
is "GitLab: the job's commands run in a box" boxed "$("$run" "$work/temp/job" build_script)"
is "GitLab: the runner's own stages do not" open "$("$run" "$work/temp/job" get_sources)"
echo 'exit 3' >"$work/temp/fails"
status "GitLab: a failed job is the job's failure" 11 "$run" "$work/temp/fails" step_script
status "GitLab: a box that cannot be made is the runner's" 12 env SBX_OPTIONS=--no-such-option "$run" "$work/temp/job" step_script
is "GitLab: options of the runner come along" "none" "$(echo 'ls /sys/class/net | grep -vx lo || echo none' >"$work/temp/net"; SBX_OPTIONS='--network none' "$run" "$work/temp/net" step_script)"

# Jenkins: the shell executable with -xe FILE.
printf '%s\nfalse\necho on\n' "$in_box" >"$work/project/jenkins.sh"
is "Jenkins: sbx-shell -xe FILE" "boxed 1" "$(sbx-shell -xe "$work/project/jenkins.sh" 2>/dev/null | xargs) $(sbx-shell -xe "$work/project/jenkins.sh" >/dev/null 2>&1; echo $?)"

# Bazel: run_under is put before the program's path and words, and handed to sh.
printf '#!/bin/sh\n%s\necho "$@"\n' "$in_box" >"$work/project/target" && chmod +x "$work/project/target"
is "Bazel: run_under" "boxed a b" "$(sh -c "sbx run -- $work/project/target a b" | xargs)"

# pre-commit: the entry's words by shlex, then the files' names.
entry=$(sed -n 's/^ *entry: //p' "$top/packaging/runners/pre-commit-config.yaml")
: >empty && echo x >full
commit() { python3 -c 'import shlex, subprocess, sys; sys.exit(subprocess.run(shlex.split(sys.argv[1]) + sys.argv[2:]).returncode)' "$entry" "$@"; }
status "pre-commit: a good file passes" 0 commit full
status "pre-commit: a bad one does not" 1 commit full empty

# GNU parallel: statuses, standard input, a timeout that leaves nothing.
if command -v parallel >/dev/null && parallel --version 2>/dev/null | grep -q GNU; then
	mkdir -p "$HOME/.parallel" && touch "$HOME/.parallel/will-cite"
	is "parallel: each of 24 tasks has its own status" "0 0" "$(parallel --joblog "$work/jobs" -j4 sbx run -- sh -c "'exit {}'" ::: $(seq 24) 2>/dev/null; awk 'NR > 1 && $7 != $NF + 0 { split($0, w, "exit "); if (w[2] + 0 != $7) wrong++ } END { print wrong + 0, NR - 25 }' "$work/jobs")"
	is "parallel: standard input is whole" 100000 "$(seq 100000 | parallel --pipe -j2 --block 100k sbx run -- wc -l | awk '{ n += $1 } END { print n }')"
	parallel -j2 --timeout 1 sbx run -- sh -c "'trap \"\" TERM; setsid sleep 97.{} & sleep 97.{}'" ::: 31 32 >/dev/null 2>&1
	is "parallel: a timeout leaves nothing" "" "$(wait_for 10 sh -c '! pgrep -f "sleep 97.3[12]"' || pgrep -af 'sleep 97.3[12]')"
else
	skip "GNU parallel" "it is not installed"
fi
done_testing
