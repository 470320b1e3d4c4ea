#!/bin/bash
# sbx learn: what a run lacked, as lines of a profile.
. "$(dirname "$0")/../lib.sh"
export HOME=$work/home XDG_STATE_HOME=$work/state XDG_CONFIG_HOME=$work/config
mkdir -p "$HOME/own" "$HOME/data/deep" "$HOME/.ssh" "$HOME/out" "$work/away/dir"
for i in 1 2 3 4; do echo $i >"$HOME/data/$i"; done
echo n >"$HOME/notes"
echo key >"$HOME/.ssh/id"
printf '#!/bin/sh\necho tool\n' >"$HOME/own/tool" && chmod +x "$HOME/own/tool"
project=$(new_project)
cd "$project" || exit 1
learn() { "$SBX" learn "$@" >"$work/out" 2>"$work/err"; }
lines() { sed -n 's/^+\([^[].* = .*\)/\1/p' "$work/err" | grep -v '^description\|^extends\|^;' | sort | xargs -d'\n' | sed 's/ $//'; }
proposes() { # lines, script
	learn -- bash -c "echo begun; $2"
	is "proposed for: $2" "begun, $1" "$(head -1 "$work/out"), $(lines)"
}

proposes "read = ?~/notes" 'cat ~/notes'
proposes "read = ?~/data/1 read = ?~/data/2" 'cat ~/data/1 ~/data/2'
proposes "read = ?~/data" 'cat ~/data/1 ~/data/2 ~/data/3 ~/data/4'
proposes "read = ?~/data" 'cat ~/data/*; ls ~/data'
proposes "write = ?~/out" 'echo x >~/out/x'
proposes "read = ?~/own/tool" '~/own/tool'
proposes "read = ?~/notes" 'test -r ~/notes; stat ~/notes'
proposes "write = ?$work/away/dir" "echo x >$work/away/dir/x"
echo '{}' >.mcp.json
proposes "" 'echo x >.git/hooks/post-merge; echo x >>.mcp.json'
like "what tools trust is no line" "$(cat "$work/err")" '^\+; your own tools run or trust it, take it in only if you mean it: write = ./.git/hooks$'
like "nor is a file of that kind" "$(cat "$work/err")" '^\+; your own tools run or trust it, .*: write = ./.mcp.json$'
own=$(hostname -I | cut -d' ' -f1)
proposes "allow = 192.0.2.77:80" "for at in 169.254.169.254 10.0.0.77 192.0.2.77 $own; do curl -s -m 5 http://\$at/; done"
like "a metadata service is no line" "$(cat "$work/err")" '^\+; a link or a metadata service, .*: allow = 169.254.169.254:80$'
[ -z "$own" ] || like "nor is this machine" "$(cat "$work/err")" "^\\+; this machine itself, .*: allow = $own:80\$"
like "a private address is none" "$(cat "$work/err")" '^\+; a private address, .*: allow = 10.0.0.77:80$'
proposes "" 'cat /nowhere ~/nothing; echo x >file; : >~/new; cat ~/new; : >/tmp/new; ls /usr >/dev/null'
like "nothing is said so" "$(cat "$work/err")" 'nothing was denied: no line is needed'
proposes "allow = refused.invalid:80" 'curl -s http://refused.invalid/'
proposes "allow = @github" 'curl -s https://github.com/ https://api.github.com/'
proposes "allow = @github allow = refused.invalid:80" 'curl -s https://github.com/ http://refused.invalid/'
learn -- cat "$HOME/.ssh/id"
like "a secret is no line" "$(cat "$work/err")" '^\+; a secret, take it in only if you mean it: read = \?~/.ssh/id$'
is "it is enforced all the same" "begun ended" "$(attempt learn -- 'cat ~/notes ~/.ssh/id; echo x >~/out/y'; ls "$HOME/out")"
mkdir -p "$HOME/.npm/_cacache" "$HOME/away/from" && echo x >"$HOME/.npm/_cacache/x"
proposes "" 'cat ~/.npm/_cacache/x /sys/kernel/mm/transparent_hugepage/enabled; mkdir -p /home ~ ~/newdir/sub; mkdir -p ~/../x-none; true'
like "what went to the private home is said" "$(learn -- sh -c 'echo x >~/lost.txt'; cat "$work/err")" 'written to the private home, and gone with the box: ~/lost.txt; '
like "a step that failed and was added: what to do" "$(learn -o "$work/said.ini" -- sh -c 'cat ~/notes || exit 1'; tail -1 "$work/err")" '^sbx: that allows this step; run the same again$'
like "a step that failed: said" "$(learn -- sh -c 'cat ~/notes || exit 1'; cat "$work/err")" '^sbx: this profile would allow this step; write it with -o FILE, and run the same again:$'
learn -o "$work/later.ini" -- sh -c 'cat ~/away/from/file; cat ~/notes; echo x >~/away/x'
rm -r "$HOME/away"
is "a profile that is learned runs when a place is gone" "n 0" "$(echo $("$SBX" run -p "$work/later.ini" -- cat "$HOME/notes" 2>&1; echo $?))"
learn -- sh -c 'exit 5'
is "the status is the command's" 5 $?
learn -c 'cat ~/notes'
is "-c STRING" "read = ?~/notes" "$(lines)"
status "no command" 125 "$SBX" learn
refused_as "not in tier landlock" 'explain needs namespaces' "$SBX" learn --isolation landlock --project none -- true

# --- what it writes runs without what caches hold: twelve commands, each learned until it ends with 0
mkdir -p "$HOME/lib" "$HOME/store" "$HOME/sources" && git -C "$HOME/sources" init -q
printf 'int three(void);\nint three(void) { return 3; }\n' >"$HOME/lib/three.c"
printf 'int three(void);\n' >"$HOME/lib/three.h"
printf 'shown = "shown"\n' >"$HOME/lib/shown.py"
printf 'exports.shown = "shown"\n' >"$HOME/lib/shown.js"
printf 'all:\n\t@cat %s/notes\n' "$HOME" >"$HOME/sources/Makefile"
printf '#include "three.h"\nint main(void) { return three() - 3; }\n' >main.c
printf 'sources:\n\tgcc -I %s/lib -o made main.c %s/lib/three.c && ./made\n' "$HOME" "$HOME" >Makefile
echo kept >kept.txt
learned() { # name, the output of the command, the command
	local name=$1 wanted=$2 tries=0 status=1 got
	shift 2
	rm -f "$work/step.ini"
	while [ $status != 0 ] && [ $tries -lt 6 ]; do
		status=0 tries=$((tries + 1))
		learn -o "$work/step.ini" -- "$@" || status=$?
	done
	"$SBX" cache clear . >/dev/null 2>&1
	[ -e "$work/step.ini" ] || printf '[profile]\nextends = default\n' >"$work/step.ini"
	got=$("$SBX" run -p "$work/step.ini" -- "$@" 2>&1)
	is "learned, its caches cleared, and run: $name" "0 0 $wanted" "$status $? $(tail -1 <<<"$got")"
}
learned "a file of the home" n cat "$HOME/notes"
learned "files of a directory" "1 2 3" sh -c 'echo $(cat ~/data/1 ~/data/2 ~/data/3)'
learned "a step behind another" 2 sh -c 'cat ~/notes && cat ~/data/2'
learned "make with a compiler, from the home" "gcc -I $HOME/lib -o made main.c $HOME/lib/three.c && ./made" make
learned "make beside the project" n make -s -C "$HOME/sources"
learned "make beside the project, by a relative name" n make -s -C "$(realpath --relative-to=. "$HOME/sources")"
learned "python with a module of the home" shown python3 -c "import sys; sys.path.insert(0, '$HOME/lib'); from shown import *; print(shown)"
learned "perl that reads a file of the home" n perl -pe 1 "$HOME/notes"
learned "tar of a directory beside the project" lib/three.h sh -c 'tar c -C ~ lib | tar t | grep three.h'
learned "git in a repository beside the project" "$(git -C "$HOME/sources" rev-parse --show-toplevel)" git -C "$HOME/sources" rev-parse --show-toplevel
learned "a copy into the home" kept sh -c 'cp kept.txt ~/store/kept.txt && cat ~/store/kept.txt'
learned "a program of the home" tool "$HOME/own/tool"
! command -v node >/dev/null || learned "node with a module of the home" shown node -p "require('$HOME/lib/shown.js').shown"
# A cache that served it would hide what the command needs.
mkdir -p "$HOME/.cache" && "$SBX" run -- sh -c 'echo served >~/.cache/part'
is "a cache has it" served "$("$SBX" run -- cat "$HOME/.cache/part" 2>&1)"
proposes "allow = @npm" 'cat ~/.cache/part || curl -s https://registry.npmjs.org/part'
PIP_CACHE_DIR=$HOME/pip-own proposes "" 'mkdir -p ~/pip-own; cat ~/pip-own/x; true'
rm -f Makefile main.c made kept.txt

# --- a file of it
profile=$work/own.ini
learn -o "$profile" --memory 900M -- bash -c 'cat ~/notes ~/.ssh/id'
is "a new profile" "[profile]
description = learned from bash
extends = default

[files]
read = ?~/notes
; a secret, take it in only if you mean it: read = ?~/.ssh/id" "$(sed '/^.limits.$/,/^memory/d' "$profile" | sed '/^$/{N;/^\n$/D;}' | sed -e :a -e '/^\n*$/{$d;N;ba' -e '}')"
like "options of the run are in it" "$(cat "$profile")" '^memory = 900M$'
is "it is a profile and gives what it lacked" n "$("$SBX" run -p "$profile" -- cat "$HOME/notes")"
sed -i 's/^read = ?~\/notes$/read = ?~\/notes ; mine/' "$profile"
learn -o "$profile" -- bash -c 'cat ~/notes; cat ~/data/1'
is "more is added, what a person wrote stays" "read = ?~/data/1 read = ?~/notes ; mine" "$(grep '^read' "$profile" | sort | xargs)"
before=$(cat "$profile")
is "what is in it already is not refused, so nothing is added" "n 1 $before" "$("$SBX" learn -o "$profile" -- bash -c 'cat ~/notes; cat ~/data/1' 2>/dev/null | xargs) $(cat "$profile")"
learn -p "$profile" -- cat "$HOME/data/2"
is "with -p, what it lacks" "read = ?~/data/2" "$(lines)"
learn -o "$work/none/deep/x.ini" -- cat "$HOME/notes"
is "a profile in a directory that is not there: both are made" "n" "$("$SBX" run -p "$work/none/deep/x.ini" -- cat "$HOME/notes")"
for bad in "$work/fifo" "$work/home" "$work/broken.ini"; do
	rm -f "$work/fifo" && mkfifo "$work/fifo"
	printf 'x\n' >"$work/broken.ini"
	refused_as "output to ${bad##*/}: an error" "^sbx: .*$bad" timeout 120 "$SBX" learn -o "$bad" -- touch was-run
	[ ! -e was-run ] || fail "the command was run"
done
# Links and modes stay, as the user made them; what a box puts there is not followed.
mkdir "$work/dotfiles" && ln -s dotfiles/real.ini "$work/linked.ini" && ln -s dotfiles/later.ini "$work/dangling.ini"
printf '[profile]\nextends = default\n' >"$work/dotfiles/real.ini" && chmod 600 "$work/dotfiles/real.ini"
learn -o "$work/linked.ini" -- cat "$HOME/notes"
is "a linked profile stays linked, with its mode" "dotfiles/real.ini 600 1" "$(readlink "$work/linked.ini") $(stat -c %a "$work/dotfiles/real.ini") $(grep -c notes "$work/dotfiles/real.ini")"
learn -o "$work/dangling.ini" -- cat "$HOME/notes"
is "a dangling link, too" "dotfiles/later.ini 644 1" "$(readlink "$work/dangling.ini") $(stat -c %a "$work/dotfiles/later.ini") $(grep -c notes "$work/dotfiles/later.ini")"
(cd "$(new_project)" && mkdir -p d && ln -s "$work/victim" plant && learn -o planted.ini -- bash -c 'cat ~/notes; ln -s '"$work"'/victim planted.ini; mv d e; ln -s '"$work"' d' && learn -o d/into.ini -- cat "$HOME/notes")
is "a link that the box put there is not followed" "no" "$([ -e "$work/victim" ] && echo yes || grep -q 'planted.ini\|into.ini' "$work/err" && echo no)"
# hostile names
printf '#!/bin/sh\ncat ~/notes\n' >"$(printf 'x\n[network]')" && chmod +x "$(printf 'x\n[network]')"
learn -o "$work/name.ini" -- "$(printf './x\n[network]')"
like "a command's name is no line" "$("$SBX" profile check "$work/name.ini")" ': good$'
learn -- bash -c 'mkdir -p d; cat ~/$'"'"'a\nnetwork = host'"'"' ~/"x ;y"'
touch "$HOME/x ;y" "$HOME/$(printf 'a\n[network]\nmode = host')"
learn -o "$work/hostile.ini" -- bash -c 'cat ~/a* ~/"x ;y" ~/$'"'"'a\n[network]\nmode = host'"'"' ~/notes'
is "names that no line can hold are left out" "read = ?~/notes" "$(lines)"
# The profile that is learned is not the command's to write: what it put there would be in force.
project=$(new_project) && cd "$project" || exit 1
mkdir -p "$HOME/private" && echo key >"$HOME/private/key"
loosen='printf "[files]\nread = ~/private\n" >>new.ini; cat ~/notes; sleep 0.2'
learn -o ./new.ini -- bash -c "$loosen"
is "a profile that the command made is not added to, but made without it" "0 1" "$(grep -c private new.ini) $(grep -c notes new.ini)"
printf '[profile]\nextends = default\n' >new.ini
learn -p offline -o new.ini -- bash -c "$loosen"
is "nor one that it changed" "0 1" "$(grep -c private new.ini) $(grep -c notes new.ini)"
is "and what was learned does not show more" 1 "$("$SBX" run -p ./new.ini -- cat "$HOME/private/key" 2>/dev/null; echo $?)"
learn -o first.ini -- cat "$HOME/notes"
"$SBX" run -- bash -c "${loosen//new/first}" 2>/dev/null
is "nor before it is used for the first time" "0 1" "$(grep -c private first.ini) $(grep -c notes first.ini)"
(wait_for 10 test -e begun && echo '# mine' >>new.ini && touch on) &
learn -o new.ini -- bash -c 'touch begun; while [ ! -e on ]; do sleep 0.05; done; cat ~/data/1'
wait
is "what somebody else changed meanwhile is left as it is" "1 0" "$(grep -c '# mine' new.ini) $(grep -c data new.ini)"
like "and told" "$(cat "$work/err")" 'was changed while the command ran'
done_testing
