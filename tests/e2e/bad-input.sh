#!/bin/bash
# Whatever is wrong with flags and profiles: status 125, one line, soon, and the command not run.
. "$(dirname "$0")/../lib.sh"
project=$(new_project)
cd "$project" || exit 1

# What a command took of the processors, whatever else they did; who waits for ever is ended.
TIMEFORMAT='%3U %3S'
milliseconds() { tr -d . <"$work/time" | awk '{ print $1 + $2 }'; }

refused() { # name, regular expression, words after `sbx run`...
	local name=$1 wanted=$2 output got took
	shift 2
	{ time output=$(timeout 60 "$SBX" run "$@" touch "$project/was-run" 2>&1 </dev/null); } 2>"$work/time"
	got=$?
	took=$(milliseconds)
	if [ "$got" != 125 ]; then
		fail "$name" "status $got: $output"
	elif [ -e "$project/was-run" ]; then
		fail "$name" "the command was run"
	elif [ "$(printf '%s\n' "$output" | wc -l)" != 1 ]; then
		fail "$name" "not one line: $output"
	elif [ "$took" -gt 200 ]; then
		fail "$name" "took $took ms"
	elif ! printf '%s\n' "$output" | grep -Eq "^sbx: .*$wanted"; then
		fail "$name" "wanted a match of: $wanted
got: $output"
	else
		pass "$name"
	fi
}

profile() { # printf format -> path of a profile
	local file
	file=$(mktemp "$work/p.XXXXXX.ini")
	printf "$1" >"$file"
	printf '%s\n' "$file"
}

refused "unknown option" "unknown option '--nonsense'" --nonsense
refused "an option of other programs" "no option '--dry-run': use: sbx plan -- COMMAND" --dry-run
refused "misspelt option" "did you mean --network" --netwrok none
refused "unknown letter" "unknown option '-Z'" -Z
refused "option with control bytes" "control bytes" $'--a\eb'
refused "option with a character without a shape" "'--a<U.200B>b'" $'--a\u200bb'
refused "switch with a value" "takes no value" --timing=yes
refused "word out of the list" "expected none\|proxy\|host" --network all
refused "size" "such as 64K" --tmp-size lots
refused "size out of range" "from 64K to 1024T" --tmp-size 1
refused "size with sign" "such as 64K" --tmp-size -1
refused "size that overflows" "such as 64K" --tmp-size 99999999999999999999G
refused "time" "such as 500ms" --timeout 5x
refused "count" "a number or unlimited" --pids 1e3
refused "memory below what can start" "from 4M to" --memory 1M
refused "memory over the machine's" "at most as much as this machine has: [0-9.]+[GT]" --memory 900T
refused "a share over all" "a share such as 50%" --memory 101%
refused "an unknown unit" "a size such as 512M" --memory 1X
refused "processes below what can start" "from 2 to 4194304" --pids 1
refused "processors over the machine's" "at most as much as this machine has: [0-9]+$" --cpu 1000
refused "a thousandth too many" "a number such as 2, 1.5" --cpu 1.2345
refused "a wish where there is none" "a time such as" --timeout '?5s'
refused "disk below what can start" "from 1M to" --disk-growth 1K
refused "io without a unit" "from 64K to" --io 5
refused "a report of another kind" "never.short.full.json" --report loud
refused "a limit of a profile, with its line" ":2: \[limits\] memory: '3Q' is not valid" -p "$(profile '[limits]\nmemory = 3Q\n')"
refused "descriptor" "from 3 to 1023" --preserve-fd 2
refused "assignment" "NAME=VALUE" --env 1x=2
refused "variable" "name of a variable" --pass-env 'A B'
refused "host name" "letters, digits" --hostname 'a b'
refused "group of calls" "expected one of ptrace" --allow-syscalls all
refused "system call" "no system call 'opne' on any machine" --deny-syscalls opne
refused "path with control bytes" "control bytes" --read $'/a\nb'
refused "missing path" "does not exist" --read /no/such/path
refused "the root as a path" "the whole machine" --read /
refused "variable in a path that is not set" 'NO_SUCH is not set' --read '$NO_SUCH/x'
refused "unknown profile" "no profile 'nosuch'" -p nosuch
for host in '' 'a b' 'bücher.example' 'a..b' '*.' 'a.*' 'x:0' 'x:65536' 'x:80,' 'x:80-90' 'http://x' '10.1.2.3/8' '1.2.3.4/33' '1.2.3' '256.1.1.1' '08.1.1.1/8' '[::1' 'fe80::1%lo' '@' '@a b' '-x.test'; do
	[ "$host" = 1.2.3 ] || refused "destination '$host'" "is not valid, expected|missing|needs" --allow "$host"
done
refused "destination with control bytes" "control bytes" --deny $'a\tb'
refused "a group that is not there" "no group '@nosuch', expected one of @npm" --allow @nosuch
refused "a group in deny" "no group" --deny @nosuch
refused "a port of the loopback" "a port from 1 to 65535" --host-port 0
refused "a name as a port" "a port from 1 to 65535" --host-port http
refused "a published port" "PORT, PORT:HOST-PORT or PORT:auto" --publish 3000:0
refused "a port that is none" "each from 1 to 65535" --publish 99999
refused "two ports too many" "PORT, PORT:HOST-PORT or PORT:auto" --publish 1:2:3
refused "nine ports" "more than 8" --host-port 11 --host-port 12 --host-port 13 --host-port 14 --host-port 15 --host-port 16 --host-port 17 --host-port 18 --host-port 19
refused "a proxy of another kind" "http://host:port or none" --upstream socks5://x:1
refused "a proxy without a host" "http://host:port or none" --upstream http://
refused "a proxy's address that there is no room for" "longer than 1023 bytes: --upstream none" -a a.test --upstream "http://u:$(printf '%01100d' 0)@127.0.0.1:9"
no_proxy=$(printf 'host%04d.test,' {1..700}) refused "more exceptions from the proxy than there is room for" \
	"no_proxy is longer than 8191 bytes" -a a.test --upstream http://127.0.0.1:9
refused "a budget" "a size such as 10M" --upload lots
refused "a budget of nobody" "a size such as 10M" --upload 'a..b 10M'
refused "an unlimited budget" "a size such as 10M" --upload unlimited
refused "an unknown way of names" "expected strict|told" --dns loose
refused "a rule in a profile, with its line" 'p.*ini:3: \[network\] allow: .a b. is not valid' -p "$(profile '[network]\nmode = proxy\nallow = a b\n')"
refused "5,000 rules" "more than 3840 rules" -p "$(profile "[network]\nmode = proxy\n$(seq -f "allow = a%g.test\n" 5000 | tr -d "\n")")"
refused "70 budgets" "more than 64 budgets" -p "$(profile "[network]\nmode = proxy\n$(seq -f "upload = %g\n" 70 | tr -d "\n")")"
refused "an option where its key has another name" "unknown key 'private-network' in \[network\], did you mean 'private'" -p "$(profile '[network]\nprivate-network = yes\n')"
refused "a key where its option has another name" "unknown option '--level', did you mean --report" --level full
refused "a misspelt key of it" "did you mean .allow." -p "$(profile '[network]\nalow = a.test\n')"
refused "misspelt profile" "did you mean 'default'" -p defualt
refused "profile with control bytes" "control bytes" -p $'a\tb'
refused "missing profile file" "No such file" -p "$work/none.ini"

refused "unknown key" ":2: unknown key 'raed' in \[files\], did you mean 'read'" -p "$(profile '[files]\nraed = /x\n')"
refused "unknown section" ":2: unknown section \[fiels\], did you mean \[files\]" -p "$(profile '[fiels]\nread = /x\n')"
refused "key before any section" ":1: 'read' is before any" -p "$(profile 'read = /x\n')"
refused "line without =" ":2: expected" -p "$(profile '[files]\nread\n')"
refused "bad value" ":3: \[limits\] pids: 'x'" -p "$(profile '[limits]\n\npids = x\n')"
refused "relative path in a profile" "begins with /" -p "$(profile '[files]\nread = x\n')"
refused "over-long line" ":2: line is longer than 198" -p "$(profile "[files]\n; $(head -c 300 /dev/zero | tr '\0' x)\n")"
refused "the tail of a long line is not a key (libinih 55)" "longer than 198" \
	-p "$(profile "[profile]\nextends = default\n[network]\n;$(head -c 199 /dev/zero | tr '\0' x)mode = host\n")"
refused "NUL" ":2: NUL byte" -p "$(profile '[files]\nread = /x\000y\n')"
refused "CRLF" ":1: carriage return" -p "$(profile '[files]\r\nread = /x\r\n')"
refused "byte order mark" ":1: byte order mark" -p "$(profile '\xef\xbb\xbf[files]\n')"
refused "control byte of two" ":2: control byte" -p "$(profile '[files]\nread = /\302\233x\n')"
refused "text that is turned" ":2: a character that changes" -p "$(profile '[files]\nread = /\342\200\256x\n')"
refused "path with a control byte of two" "control bytes" --read $'/a\302\233b'
refused "control byte" ":2: control byte" -p "$(profile '[files]\nread = /\033x\n')"
printf '[profile]\nextends = %s\n' "$work/b.ini" >"$work/a.ini"
printf '[profile]\nextends = %s\n' "$work/a.ini" >"$work/b.ini"
refused "cyclic extends" "extends itself" -p "$work/a.ini"
mkfifo "$work/fifo"
refused "FIFO" "not a regular file" -p "$work/fifo"
refused "device" "not a regular file" -p /dev/zero
refused "directory" "not a regular file|Is a directory" -p "$work/"
truncate -s 1G "$work/huge.ini"
refused "huge file" "larger than 256 KiB" -p "$work/huge.ini"
yes 'read = /usr' | head -n 15000 | sed '1i [files]' >"$work/many.ini"
refused "too many paths" "more than 1536 paths" -p "$work/many.ini"
printf '[files]\n' >"$work/open.ini" && chmod 666 "$work/open.ini"
if [ "$(id -u)" = 0 ]; then
	printf '[files]\n' >"$work/other.ini" && chown 12345 "$work/other.ini"
	refused "other owner" "belongs to uid 12345" -p "$work/other.ini"
	skip "writable by others" "a file of root's is trusted whatever its mode"
else
	skip "other owner" "only root can give a file away"
	refused "writable by others" "writable by others" -p "$work/open.ini"
fi
# sbx's own state is the caller's alone
state_of() { # mode: a directory of state in which somebody has left his trust
	rm -rf "$work/shared" && mkdir -p "$work/shared/sbx/trust" && chmod "$1" "$work/shared/sbx"
}
for mode in 777 770 1777; do
	state_of "$mode"
	for words in "run -- true" "profile trust" "session list" "quarantine list"; do
		XDG_STATE_HOME=$work/shared "$SBX" $words >"$work/out" 2>&1
		like "state of mode $mode: $words" "$? $(cat "$work/out")" "^125 .*shared/sbx', where sbx records what you trust, must be your own directory"
	done
done
state_of 700
XDG_STATE_HOME=$work/shared status "state of one's own" 0 "$SBX" run -- true
mkdir -p "$work/shared/sbx/sessions" && chmod 777 "$work/shared/sbx/sessions"
like "a directory in it that others write" "$(XDG_STATE_HOME=$work/shared "$SBX" session list 2>&1)" "'sessions' in '.*' must belong to you"
rm -r "$work/shared/sbx/sessions" && mkdir "$work/elsewhere" && ln -s "$work/elsewhere" "$work/shared/sbx/sessions"
like "or a link" "$(XDG_STATE_HOME=$work/shared "$SBX" session list 2>&1)" "open 'sessions' in "
if [ "$(id -u)" = 0 ]; then
	state_of 755 && chown 12345 "$work/shared/sbx"
	like "or somebody else's" "$(XDG_STATE_HOME=$work/shared "$SBX" run -- true 2>&1)" "belongs to uid 12345; .*XDG_STATE_HOME"
else
	like "or somebody else's" "$(mkdir -p "$work/bin" && ln -sfn / "$work/bin/sbx" && XDG_STATE_HOME=$work/bin "$SBX" run -- true 2>&1)" "belongs to uid 0; .*XDG_STATE_HOME"
fi
# projects made to harm: each is refused with a word, or costs no more than any other
bounded() { # name, wanted status, what is said, command...
	local name=$1 wanted=$2 said=$3 output got took
	shift 3
	if [ "$2" = run ]; then set -- run_box "${@:3}"; else set -- timeout 60 "$@"; fi
	{ time output=$("$@" 2>&1); } 2>"$work/time"
	got=$?
	[ "$wanted $1" != "0 run_box" ] || came || got="$got, in no box"
	took=$(milliseconds)
	if [ "$got" = "$wanted" ] && printf '%s\n' "$output" | grep -Eq -- "$said" && [ "$took" -lt 1500 ]; then
		pass "$name"
	else
		fail "$name" "status $got after $took ms: $output"
	fi
}
hostile() { # a fresh repository to harm with; changes to it
	place=$(new_project)
	cd "$place" || exit 1
}
hostile && rm -rf .git/config && ln -s /etc/passwd .git/config
bounded ".git/config is a symlink out of the project" 0 "" "$SBX" run true
hostile && rm -rf .git/config && mkfifo .git/config
bounded ".git/config is a FIFO" 0 "" "$SBX" run true
hostile && rm -rf .git/info && ln -s . .git/info
bounded ".git/info is a symlink" 125 "is a symlink to a directory around it.*; remove it: rm " "$SBX" run true
hostile && ln -s .. .vscode
bounded "a protected name leads to a directory around the project" 0 "" "$SBX" run true
hostile && ln -s . .idea
bounded "a protected name leads to the project" 125 "is a symlink to a directory around it.*; remove it: rm " "$SBX" run true
hostile && ln -s /etc .claude
bounded "a protected name leads out of the project" 0 "" "$SBX" run true
hostile && ln -s .cursor .cursor
bounded "a protected name leads to itself" 0 "" "$SBX" run true
hostile && rm -rf .git && ln -s .git .git
bounded ".git leads to itself" 0 "" "$SBX" run true
hostile && rm -rf .git && echo "gitdir: .git" >.git
bounded ".git points at itself" 0 "" "$SBX" run true
hostile && rm -rf .git && echo "gitdir: $(head -c 5000 /dev/zero | tr '\0' x)" >.git
bounded ".git points too far" 0 "" "$SBX" run true
hostile && mkdir -p .git/modules && (cd .git/modules && seq 10000 | xargs mkdir)
bounded "10,000 submodules" 0 "" "$SBX" run true
hostile && mkdir nested && (cd nested && seq -f 'r%g/.git' 10000 | xargs mkdir -p)
bounded "10,000 repositories below" 0 "" "$SBX" run sleep 0.2
bounded "and once more, when some are known" 0 "" "$SBX" run true
hostile && mkdir -p ".git/modules/a
b" ".git/worktrees/c
d" && touch ".git/modules/a
b/HEAD"
bounded "names with newlines" 0 "" "$SBX" run true
hostile && head -c 300000 /dev/zero | tr '\0' '\n' >.git/config
bounded "a configuration of 300 KB is read-only" 0 "" "$SBX" run true
hostile && printf '[a]\nb = "c\n' >.git/config
bounded "a configuration that git would not read" 0 "" "$SBX" run true
# A name that acts on a terminal is shown, wherever it is said. Rule 23.
loud=$work/$'loud\e]2;hit\a\x9b2J\u202e\nsbx: all is well'
mkdir -p "$loud/"$'d\e[2J' && git -C "$loud" init -q && cd "$loud" || exit 1
said() { # name, a part of what is said, words of sbx...
	local name=$1 part=$2 text
	shift 2
	text=$(XDG_STATE_HOME=$work/loud-state "$SBX" "$@" 2>&1 </dev/null)
	is "$name: it is said, and no byte acts on the terminal" said "$(grep -Eq -- "$part" <<<"$text" && echo said; LC_ALL=C grep -ao $'[\001-\010\013-\037\177]\|\x9b\|\xe2\x80\xae' <<<"$text" | head -3; grep -x 'sbx: all is well.*' <<<"$text")"
}
printf '[files]\nread = /usr\n' >.sbx.ini
said "profile status" "not trusted" profile status
said "profile trust" "trusted" profile trust
printf '[files]\nbogus = 1\n' >.sbx.ini
said "a bad profile" "sbx.ini:2" run -- true
rm .sbx.ini
said "--read of what is absent" "nope.*does not exist" run --read nope -- true
said "--isolation landlock" "sbx: .*(hide|landlock|d)" run --isolation landlock --hide $'d\e[2J' -- true
said "plan" "^network" plan -- true
said "why" "can be" why "$PWD"
said "a command" "cannot run" run -- $'./no\e[2J'
said "a profile's name" "sbx: .*profile" run -p $'a\e[2J' -- true
XDG_STATE_HOME=$work/loud-state "$SBX" run -- sh -c 'mkdir .vscode; sleep 0.5' 2>/dev/null
said "quarantine list" "^2" quarantine list
id=$(XDG_STATE_HOME=$work/loud-state "$SBX" quarantine list | sed 's/ .*//')
said "quarantine show" "^was" quarantine show "$id"
touch .vscode
said "quarantine restore" "exists already; to compare" quarantine restore "$id"
said "quarantine of no such name" "no quarantined" quarantine show $'x\e[2J'
cd "$project" || exit 1
refused_as "no command" "command" "$SBX" run
status "unknown verb" 125 "$SBX" rum true
like "no verb prints the help" "$("$SBX")" "sbx run"
# What a mode cannot keep is told, and the mode that was asked for holds.
for words in "host --deny example.com" "host --upload 1M" "host --download 1M" \
	"host --publish 8080" "none --publish 8080" "none --host-port 8080" "none --allow example.com"; do
	set -- $words
	is "mode $1 and $2: told" "sbx: $2: ${2#--} $3 has no effect in mode $1: it needs --network proxy" \
		"$("$SBX" run --network "$@" -- true 2>&1)"
done
like "a denied address, and a proxy that looks up names: told" "$("$SBX" run --upstream http://127.0.0.1:9 --deny 203.0.113.0/24 -- true 2>&1)" \
	'^sbx: --deny: deny 203.0.113.0/24 applies to addresses, not to names that lead there'
stays "modes that keep all: nothing is told" "" "$(run_box --network none -- true 2>&1; run_box --network host --host-port 8080 -a example.com -- true 2>&1)"
done_testing
