#!/bin/bash
# What other sandboxes break, by reports of their users: README's table, a row a number. "others.sh 4 7" tries those.
. "$(dirname "$0")/../lib.sh"
tree=$(cd "$(dirname "$0")/../.." && pwd)
chosen=" $* "
export HOME=$work/home GIT_CONFIG_NOSYSTEM=1
mkdir -p "$HOME"
row() { # number: is it chosen? Then in a new project
	[ "$chosen" = "  " ] || [[ $chosen == *" $1 "* ]] || return 1
	row=$1
	cd "$(new_project)" || exit 1
	git add file && git commit -qm first
}
box() { run_box "$@" 2>"$work/said"; }

if row 1; then # claude-code#90569
	for i in $(seq 261); do
		mkdir -p ".git/worktrees/w$i" && echo ../.. >".git/worktrees/w$i/commondir" && echo "$work/none/w$i/.git" >".git/worktrees/w$i/gitdir"
	done
	stays "$row: 261 worktrees: git sees them, and nothing is said" "261 " "$(box -- sh -c 'ls .git/worktrees | wc -l') $(cat "$work/said")"
fi

if row 2; then # openclaw#68691
	id=$("$SBX" run -d -- sleep 300)
	for _ in 1 2 3 4 5; do "$SBX" exec "$id" -- sh -c '(sleep 0.01 &) ; (sh -c : &)'; done
	left() { "$SBX" exec "$id" -- sh -c 'n=0; for s in /proc/[0-9]*/stat; do read -r line <"$s" 2>/dev/null && case $line in *") Z "*) n=$((n + 1)) ;; esac; done; echo zombies $n'; }
	wait_for 30 eval '[ "$(left)" = "zombies 0" ]'
	is "$row: orphans of a box that lives are no zombies" "zombies 0" "$(left)"
	"$SBX" kill "$id" >/dev/null 2>&1
fi

if row 3; then # deer-flow#3864, codex#7852
	begun=$SECONDS
	said=$(box -- sh -c 'sleep 100 & echo begun' | cat)
	stays "$row: a caller that waits for the end of the pipe gets it" "begun yes" "$said $([ $((SECONDS - begun)) -lt 60 ] && echo yes)"
fi

if row 4; then # sandbox-runtime#139, claude-code#17087
	("$SBX" run -- sh -c ': >began; sleep 100' &)
	wait_for 30 [ -e began ]
	is "$row: git shows no file that sbx made, while a box lives" "?? began yes" "$(git status --porcelain) $("$SBX" ps | grep -q 'sleep 100\|sh -c' && echo yes)"
	"$SBX" stop --all --time 0s >/dev/null 2>&1
fi

if row 5; then # cluesmith/codev#249: Turbopack; codex: no bind
	stays "$row: a program listens on a port of the box and is reached there" hello "$(box -- python3 -c 'import socket
server = socket.create_server(("127.0.0.1", 0))
client = socket.create_connection(server.getsockname())
server.accept()[0].sendall(b"hello")
print(client.recv(9).decode())')"
fi

if row 6; then # claude-code#27306: Vite listens on localhost, which is ::1
	port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
	"$SBX" run --publish "$port" -- python3 -m http.server -b ::1 "$port" >"$work/server" 2>&1 &
	wait_for 60 curl -sf -m 10 -o "$work/got" "http://127.0.0.1:$port/file"
	is "$row: a development server on ::1 is reached by 127.0.0.1" hello "$(cat "$work/got" 2>/dev/null)"
	"$SBX" stop --all --time 0s >/dev/null 2>&1
	wait
fi

if row 7; then # sandbox-runtime's README: it takes -s, -d and -c of the command
	stays "$row: options behind the command are the command's" "-s -d -c --help" "$(box -- echo -s -d -c --help)"
fi

if row 8; then # sandbox-runtime: SIGINT ends with 0
	box -- sh -c 'kill -INT $$'
	stays "$row: the status is the command's, also by a signal" "130 7" "$? $(box -- sh -c 'exit 7'; echo $?)"
fi

if row 9; then # bazel#5096, apptainer#1451: fakeroot stops at EINVAL
	stays "$row: chown to an id that is not mapped says what it says outside" "Operation not permitted" "$(box -- python3 -c 'import os
try: os.chown("file", 12345, -1)
except OSError as error: print(error.strerror)')"
fi

if row 10; then # codex#7071, claude-code#33615
	git worktree add -q "$work/tree" -b other && cd "$work/tree" || exit 1
	box -- sh -c 'echo more >file && git commit -qam second'
	stays "$row: a commit in a worktree, whose repository is elsewhere" second "$(git log -1 --format=%s)"
fi

if [ "$chosen" = "  " ]; then
	is "README has a row for each" "$(seq 10 | xargs)" "$(sed -n '/others.sh ROW/,/^## /s/^|\([0-9]*\)|.*/\1/p' "$tree/README.md" | xargs)"
fi
done_testing
