#!/bin/bash
# The fix that a message names is applied as it is printed, and the failure is gone.
. "$(dirname "$0")/../lib.sh"
tree=$(cd "$(dirname "$0")/../.." && pwd)
export HOME=$work/home XDG_STATE_HOME=$work/state XDG_CONFIG_HOME=$work/config
mkdir -p "$HOME"
project=$(new_project)
cd "$project" || exit 1

# The flags that a message ends with, given to a shell as they are printed.
flags_of() { sed -nE 's/^sbx: .*(to show it|to allow|to reach it|to pass it|raise it with): *(--.*)$/\2/p' | tail -n 1; }
again() { # flags as text, words of sbx run: the shell takes them apart
	local flags=$1
	shift
	eval "run_box $flags \"\$@\"" 2>&1
}
mended() { # name, pattern of the message, pattern of the output afterwards, words of sbx run
	local name=$1 message=$2 wanted=$3 said flags after
	shift 3
	said=$("$SBX" run "$@" 2>&1)
	like "$name: is said" "$said" "$message"
	flags=$(printf '%s\n' "$said" | flags_of)
	after=$(again "$flags" "$@")
	like "$name: works with what is printed ($flags)" "$after" "$wanted"
	stays "$name: nothing more is said" "" "$(printf '%s\n' "$after" | grep '^sbx: ')"
}

# --- programs that the box does not have
tool() { # path, text: a program that prints it
	mkdir -p "$(dirname "$1")"
	printf '#!/bin/sh\necho %s\n' "$2" >"$1"
	chmod +x "$1"
}
modules=$HOME/ag/node_modules
tool "$modules/pk/bin/pk.js" 'unused'
printf '#!/bin/sh\n. %s/pk/lib/x\n' "$modules" >"$modules/pk/bin/pk.js"
mkdir -p "$modules/.bin" "$modules/pk/lib" && echo 'echo pk ran' >"$modules/pk/lib/x"
ln -s ../pk/bin/pk.js "$modules/.bin/pk"
saved=$PATH
PATH=$modules/.bin:$saved
mended "a program of node_modules/.bin" "cannot run 'pk': .*/pk is not in the box; to show it: --read $modules\$" '^pk ran$' -- pk
mended "with a directory that is not enough" "to show it: --read $modules\$" '^pk ran$' --read "$modules/pk/bin" -- pk
mkdir -p "$HOME/links" && ln -s "$modules/pk/bin/pk.js" "$HOME/links/pk"
PATH=$HOME/links:$saved
mended "a link elsewhere in PATH" "to show it: --read $HOME/links --read $modules\$" '^pk ran$' -- pk

venv=$HOME/venv # as python3 -m venv makes it
mkdir -p "$venv/bin" "$venv/lib" && : >"$venv/pyvenv.cfg"
ln -s /usr/bin/env "$venv/bin/python"
printf '#!%s/bin/python cat\nin the venv\n' "$venv" >"$venv/bin/vt" && chmod +x "$venv/bin/vt"
PATH=$venv/bin:$saved
mended "a virtual environment" "to show it: --read $venv\$" '^in the venv$' -- vt
mkdir -p "$HOME/pipx" && ln -s "$venv/bin/vt" "$HOME/pipx/vt"
PATH=$HOME/pipx:$saved
mended "a link into one, as pipx makes it" "to show it: --read $HOME/pipx --read $venv\$" '^in the venv$' -- vt
mkdir -p "$HOME/py/bin" "$HOME/py/lib" && cp /bin/cat "$HOME/py/bin/cat"
printf '#!%s/py/bin/cat\nown interpreter\n' "$HOME" >own && chmod +x own
PATH=$saved
mended "an interpreter of the home" "cannot run './own': ./own is not in the box|to show it: --read $HOME/py\$" 'own interpreter' -- ./own

for odd in 'a b' "it's" 'a;b' 'a`echo x`b' 'a"b' 'a*' 'ä' '#x' '~x'; do
	tool "$HOME/$odd/odd" 'odd ran'
	PATH=$HOME/$odd:$saved
	mended "a directory '$odd'" 'to show it: --read ' '^odd ran$' -- odd
done
tool "$HOME/"$'new\nline/odd' odd
tool "$HOME/"$'esc\e[2J/odd' odd
tool "$HOME/a\$(echo x)b/odd" odd # options of paths expand variables
for odd in 'a$(echo x)b' $'new\nline' $'esc\e[2J'; do
	PATH=$HOME/$odd:$saved
	is "a name that cannot be given gets no fix" "127 " "$("$SBX" run -- odd >"$work/said" 2>&1; echo "$? $(flags_of <"$work/said")")"
done
PATH=$saved

printf '#!/usr/bin/nosuch\n' >bad && printf '#!/bin/sh\r\necho in the script\r\n' >'cr lf' && chmod +x bad 'cr lf'
is "an interpreter that nobody has" "sbx: cannot run './bad': its interpreter '/usr/bin/nosuch' does not exist; change its first line" "$("$SBX" run -- ./bad 2>&1)"
said=$("$SBX" run -- './cr lf' 2>&1)
like "a script of Windows" "$said" 'its first line ends in a carriage return \(Windows\); fix: sed '
eval "${said#*; fix: }"
is "is mended by what is printed" "in the script" "$("$SBX" run -- './cr lf' 2>&1)"
printf '#!/bin/\e[2Jx\n' >escape && chmod +x escape
is "an interpreter with control bytes" "127 0" "$("$SBX" run -- ./escape >"$work/said" 2>&1; echo "$? $(grep -c $'\e' "$work/said")")"
mkfifo pipe && chmod +x pipe
status "a fifo does not stop it" 126 timeout 30 "$SBX" run -- ./pipe
status "not found at all" 127 "$SBX" run -- no-such-command

# --- another program of that name than outside
tool "$HOME/tools/bin/env" 'MINE'
PATH=$HOME/tools/bin:$saved
mended "another program of that name" "^sbx: env: the box ran /usr/bin/env; $HOME/tools/bin/env, first in your PATH, is not in the box; to show it: --read $HOME/tools/bin\$" '^MINE$' -- env true
stays "not where the command has a PATH of its own" "" "$(run_box -e PATH=/usr/bin:/bin -- env true 2>&1)"
PATH=$saved:$HOME/tools/bin
stays "not when it comes later in PATH" "" "$(run_box -- env true 2>&1)"
mkdir -p "$HOME/same" && ln -s /usr/bin/env "$HOME/same/env"
PATH=$HOME/same:$saved
stays "nor when it is the same" "" "$(run_box -- env true 2>&1)"
PATH=/bin:$saved
stays "nor by a link of the system" "" "$(run_box -- ls / 2>&1 >/dev/null)"
PATH=$saved

# --- what was refused: --explain, and the flags it prints
mkdir -p "$HOME/data" "$HOME/.ssh" && echo in the file >"$HOME/data/file" && echo key >"$HOME/.ssh/id_test"
mended "a file of the home, by --explain" "blocked reading $HOME/data/file \(cat\): is not in the box; to allow: --read $HOME/data/file\$" '^in the file$' --explain -- cat "$HOME/data/file"
stays "reading is not looked at without it" "" "$(run_box -- cat "$HOME/data/file" 2>&1 | grep '^sbx')"
stays "nor what no file of the home is" "" "$(run_box --explain -- sh -c 'cat /srv/x; ls ~/no; ls ~' 2>&1 | grep '^sbx')"
mended "writing below a directory to read" 'to allow: --write ' '^wrote' --explain --read "$HOME/data" -- sh -c 'echo y >>"$HOME/data/file" && echo wrote'
mkdir -p "$HOME/real" && ln -s "$HOME/real" reallink && ln -s reallink two
for link in reallink two; do
	for act in "writing: echo y >>$link/file" "reading: cat $link/file"; do
		said=$("$SBX" run --explain -- sh -c "${act#*: } && echo went" 2>&1)
		flag=$(printf '%s\n' "$said" | sed -nE "s/.*blocked ${act%%:*} .*; to allow: (--.*)\$/\1/p")
		is "${act%%:*} through a link to a directory ($link): works with what is printed ($flag)" went "$(eval "run_box $flag -- sh -c '${act#*: } && echo went'" 2>&1 | grep -x went)"
	done
	rm "$HOME/real/file"
done
mended "a program outside of PATH" 'to allow: --read ' '^MINE$' --explain -- sh -c "$HOME/tools/bin/env"

# --- why: the flags that it prints are those that run takes
why_works() { # name, word, words of sbx run that fail without the flag
	local name=$1 word=$2 flags
	shift 2
	flags=$("$SBX" why "$word" | sed -nE 's/^ *to (read it|use it|connect to it|pass it|allow it|reach it|write it): *(--.*)$/\2/p' | head -n 1)
	run_box "$@" >/dev/null 2>&1
	stays "why $name: fails without" 1 $(($? > 0))
	eval "status \"why $name: works with $flags\" 0 \"\$SBX\" run $flags \"\$@\""
}
why_works "a file" "$HOME/data/file" -- cat "$HOME/data/file"
why_works "a secret" "$HOME/.ssh/id_test" -- cat "$HOME/.ssh/id_test"
python3 -c 'import socket, sys, time
s = socket.socket(socket.AF_UNIX); s.bind(sys.argv[1]); s.listen(); time.sleep(120)' "$HOME/a socket" &
server=$!
wait_for 30 test -S "$HOME/a socket"
why_works "a socket" "$HOME/a socket" -- python3 -c 'import socket, sys; socket.socket(socket.AF_UNIX).connect(sys.argv[1])' "$HOME/a socket"
kill $server
if [ -c /dev/fuse ]; then
	why_works "a device" /dev/fuse -- test -c /dev/fuse
else
	skip "why a device" "there is no /dev/fuse"
fi
export GH_TOKEN=secret
why_works "a variable" '$GH_TOKEN' -- sh -c 'test "$GH_TOKEN" = secret'
unset GH_TOKEN
why_works "a system call" unshare -- unshare -U true
is "why: a variable that is not set" '$LD_PRELOAD is not set here
  it would be withheld: it steers loaders and shells
  to pass it: --pass-env LD_PRELOAD' "$("$SBX" why '$LD_PRELOAD')"
like "why: a group" "$("$SBX" why @npm)" '^  to reach them: --allow @npm$'
like "why: one that is allowed" "$("$SBX" why -a @npm @npm)" '^@npm is a group of hosts, and allowed$'
like "why: no such group" "$("$SBX" why @nmp 2>&1)" "no group '@nmp'"
is "why: a call that the profile denies" "system call ptrace: denied (EPERM)
  no option allows it (--deny-syscalls)" "$("$SBX" why --deny-syscalls ptrace ptrace)"
is "why: one whose arguments decide" "system call ioctl: its arguments decide" "$("$SBX" why ioctl)"
is "why: a host called like a call, with a port" 1 "$("$SBX" why mount:443 | grep -c 'cannot be reached')"
lacks "why: a name with '\$' gets no option" "$(mkdir -p "$HOME/a\$b"; "$SBX" why "$HOME/a\$b")" --

# A path that no line makes writable or shows gets no flag.
for path in /dev /proc /proc/1 /sys/fs / /etc /etc/passwd /tmp /run /usr /home "$HOME" "$XDG_STATE_HOME/sbx" "$XDG_CONFIG_HOME/sbx" /no/such/file; do
	for flag in $("$SBX" why "$path" | grep -oE -- '--(read|write) .*' | tr -s ' ' '='); do
		run_box "$flag" -- true >/dev/null 2>&1 || fail "why $path: $flag is refused"
	done
done
like "why: a path that cannot be writable" "$("$SBX" why /etc/passwd)" '^  no option lets it be written: it belongs to the system$'
like "why: a path that is nowhere" "$("$SBX" why /no/such/file)" '^  it does not exist outside of the box either$'

# --- error texts: as programs print them, and what the answer has
while IFS='|' read -r fix text; do
	like "why: $text" "$("$SBX" why "$text" 2>&1 | paste -sd' ')" "$fix"
done <"$tree/tests/e2e/errors.table"
# Each flag and command of these answers works, with the words in capitals as somebody would give them.
cd "$(new_project)" || exit 1 # what is ended here is no run of the project
mkdir -p "$HOME/.ssh" "$HOME/tools/bin" DIRECTORY .vscode && touch FILE
for name in NAME mise; do printf '#!/bin/sh\n' >"$HOME/tools/bin/$name" && chmod +x "$HOME/tools/bin/$name"; done
ssh-keygen -qt ed25519 -N "" -f "$HOME/.ssh/KEY"
echo "github.com $(cut -d' ' -f1,2 "$HOME/.ssh/KEY.pub")" >"$HOME/.ssh/known_hosts"
eval "$(ssh-agent)" >/dev/null && ssh-add -q "$HOME/.ssh/KEY"
export GITHUB_TOKEN=ghp_0123456789abcdefghij
live=$("$SBX" run -d -- sleep 600)
taken() { # a flag of an answer, and what it is for
	local flag=$1
	case $flag in
	-a* | *' -a '*) [[ $("$SBX" why $flag "$2") == *'can be reached'* ]] ;;
	--host-port*) [[ $("$SBX" why $flag "localhost:${flag#* }") == *"the host's (--host-port)"* ]] ;;
	--publish*) "$SBX" plan $flag -- true | grep -q "^ *publish .*${flag#* }" ;;
	--write*) eval "run_box $flag -- sh -c 'touch ${flag#* }/made || : >>${flag#* }'" ;;
	--read*) eval "set -- $flag" && run_box $flag -- test -r "$2" ;;
	*) eval "run_box $flag -- true" ;;
	esac
}
while IFS= read -r code; do
	words=${code//COMMAND/true} && words=${words//HOST/example.com} && words=${words//PORT/3999} && words=${words/ ID/ $live} && words=${words//CALL/mount}
	case $words in
	--memory | --disk-growth | 'sbx kill') continue ;; # named, not to be given as it is
	-*) [ "$words" = "-p docker" ] || [ "$words" = "--socket /var/run/docker.sock" ] && [ ! -S /var/run/docker.sock ] && continue
		case $words in *@npm) for=registry.npmjs.org ;; *':22') for=${words##* } ;; *) for=${words##* } ;; esac
		taken "$words" "$for" ;;
	'sbx run -- '*) PATH=$HOME/tools/bin:$PATH eval "\"\$SBX\" ${words#sbx }" 2>&1 | grep -E -- '--read .*/tools/bin' ;;
	'sbx run '*) flags=${words#sbx run } && eval "run_box ${flags%% -- *} -- true" ;;
	'sbx '*) eval "\"\$SBX\" ${words#sbx }" ;;
	*) continue ;;
	esac >"$work/said" 2>&1 </dev/null
	is "why: what an answer names works: $code" 0 "$?$([ $? = 0 ] || cat "$work/said")"
done < <(while IFS='|' read -r _ text; do "$SBX" why "$text" 2>/dev/null | grep -oE '`[^`]+`'; done <"$tree/tests/e2e/errors.table" | tr -d '`' | sort -u)
"$SBX" kill "$live" >/dev/null
ssh-agent -k >/dev/null
unset GITHUB_TOKEN
rm -rf "$HOME/.ssh" "$HOME/tools"
cd "$project" || exit 1
is "why: without a word, before any refusal" "no run of this project has reported anything" "$(mkdir -p "$work/fresh" && cd "$work/fresh" && "$SBX" why)"
run_box -- curl -s https://never.example >/dev/null 2>&1
like "why: without a word, which run it was, and how to see more of a later one" "$(run_box true; "$SBX" why | head -1)" '^the last run here that reported anything \(run [0-9]+, 20[-0-9T:]+Z\); later runs had nothing to report; to see more: sbx run --explain -- COMMAND$'
for word in '' 'Read-only file system' never.example @npm unshare '$LANG'; do
	is "why: in a home, which is no project: '$word'" 0 "$(cd "$HOME" && "$SBX" why ${word:+"$word"} >/dev/null 2>"$work/said"; echo $?)$(cat "$work/said")"
done
like "why: of a path there, as a run" "$(cd "$HOME" && "$SBX" why ./data 2>&1)" 'is your home directory and cannot be the project'
like "why: without a word, what the last run was refused" "$("$SBX" why)" '^blocked never\.example:443 \(curl\): .* --allow never\.example:443$'
lacks "why: not what another project's run was" "$(cd "$work/fresh" && "$SBX" why)" never.example
# Everyday errors that only share words with one: what it can be, and no other problem's answer.
while IFS= read -r text; do
	like "why: another problem's answer is not given: $text" "$("$SBX" why "$text" 2>&1)" '^This text is not in sbx-recipes'
done <<'END'
zyx wvu tsr
ld: cannot find -lfoo
make: *** No rule to make target 'x'.  Stop.
ModuleNotFoundError: No module named 'numpy'
error[E0433]: failed to resolve: use of undeclared crate or module
fatal: not a git repository (or any of the parent directories): .git
Segmentation fault (core dumped)
error: linker `cc` not found
The process was killed by its parent
Killing port 3000
TypeError: Cannot read properties of undefined
Aborted
END
is "why: odd bytes" 0 "$("$SBX" why $'\e[2J \xff\xfe \x01' | grep -c $'\e')"
like "why: a long one" "$("$SBX" why "$(head -c 100000 /dev/zero | tr '\0' 'x') y")" '^This text is not'
like "why: what the text names is in the answer" "$("$SBX" why 'Error: connect ECONNREFUSED 127.0.0.1:6543')" '--host-port 6543`'
is "why: nothing that a shell acts on is taken from the text" 0 "$("$SBX" why 'curl: (6) Could not resolve host: a$(x)b;`c`' | grep -c 'x)\|`c`')"
missed=
while IFS= read -r key; do
	"$SBX" why "$key" 2>/dev/null | grep -q 'This text is not' && missed+="$key
"
done < <(sed -n 's/^? //p' "$tree/man/recipes.txt" | grep ' ')
is "each text of the page has its answer" "" "$missed"
unknown=
for flag in $(grep -o '`[^`]*`' "$tree/man/recipes.txt" | grep -v 'git \|podman\|systemctl\|gpgconf --' | grep -oE -- '--[a-z][a-z-]+' | sort -u); do
	{ "$SBX" run --help; "$SBX" run --help all; "$SBX" session --help; "$SBX" audit --help all; } 2>/dev/null | grep -q -- "$flag\b" || unknown+=" $flag"
done
is "each option of the page exists" " --ignore-scripts --max-old-space-size --no-sandbox" "$unknown"

# --- profiles
printf '[profile]\nextends = default\n[network]\nallow = @nmp\n' >group.ini
printf '[files]\nread = ?/srv\n' >bare.ini
status "profile check resolves groups" 125 "$SBX" profile check group.ini
like "a profile without extends is warned of" "$("$SBX" profile check bare.ini)" "^bare.ini has no 'extends': .*usually: extends = default\$"
like "its run says so, too" "$("$SBX" run -p ./bare.ini -- true 2>&1)" 'the box has no /usr; write in the profile: extends = default'
printf '[profile]\nextends = default\n' | cat - bare.ini >whole.ini
is "and is good with it" "whole.ini: good" "$("$SBX" profile check whole.ini)"
status "and runs" 0 "$SBX" run -p ./whole.ini -- true

# --- limits, ports, rules
like "too few open files are refused at once" "$("$SBX" run --open-files 10 -- true 2>&1)" '64'
status "and the least is enough" 0 "$SBX" run --open-files 64 -- true
for own in localhost:8765 127.0.0.1:8765 127.3.2.1:8765 '[::1]:8765' host.docker.internal:8765 0.0.0.0:8765 app.localhost:8765 127.0.0.0/8; do
	like "$own is no host to allow" "$("$SBX" run -a "$own" true 2>&1)" "^sbx: --allow: $(printf '%s' "$own" | sed 's/[][]/\\&/g') is the box itself; for a port of this machine, as localhost: --host-port (8765|PORT)\$"
done
like "a whole top-level domain" "$("$SBX" plan -a '*.com')" "allow \*.com opens every name below 'com'"
lacks "other rules get no word" "$("$SBX" plan -a '*.example.com' -a localhost.example.com)" 'opens every|has no effect'
python3 -c 'import socket, sys, time
s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen(); print(s.getsockname()[1], flush=True); time.sleep(120)' >port &
server=$!
wait_for 30 test -s port
port=$(cat port)
like "a published port that is taken" "$("$SBX" run --publish "$port" -- true 2>&1)" "port $port is used by another program outside; take a free one: --publish $port:[0-9]+;"
like "a port of the host's" "$("$SBX" run -- python3 -c "import socket; socket.create_connection(('127.0.0.1', $port))" 2>&1; "$SBX" why "localhost:$port")" "to reach the host's: --host-port $port"
status "is reached by the printed flag" 0 "$SBX" run --host-port "$port" -- python3 -c "import socket; socket.create_connection(('127.0.0.1', $port))"
kill $server
stays "git lfs track notes what it does not need: nothing is said" "" "$(run_box -- git config lfs.repositoryformatversion 0 2>&1)"
is "a review of nothing leaves no session" "sbx: nothing was changed" "$("$SBX" run --review -- true 2>&1; "$SBX" session list 2>&1 | grep review)"
done_testing
