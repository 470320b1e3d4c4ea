#!/bin/bash
# Completions of bash, zsh and fish: what is offered, that it is found, and that a TAB runs nothing.
. "$(dirname "$0")/../lib.sh"
tests=$(cd "$(dirname "$0")" && pwd) tree=$(cd "$(dirname "$0")/../.." && pwd)
project=$(new_project)
cd "$project" || exit 1
here=$(dirname "$(dirname "$SBX")")

# the hidden verb
offered() { "$SBX" complete "$@" 2>/dev/null | cut -f1 | sort | xargs; }
is "verbs" "plan profile ps publish" "$(offered p)"
is "shells" "bash fish zsh" "$(offered completion "")"
is "help of verbs" "plan profile ps publish" "$(offered help p)"
flags=$("$SBX" run --help all | grep -o -- '^ .*--[a-z][a-z-]*' | grep -o -- '--[a-z][a-z-]*' | sort -u | xargs)
is "every option of run, and no other" "${flags:-none}" "$(offered run --)"
like "short ones, too" "$(offered run -)" ' -C -a -c '
like "each with what it means" "$("$SBX" complete run --hid)" $'^--hide\tnever readable'
is "words of an option" "host none proxy" "$(offered run --network "")"
is "behind '='" "--network=host --network=none --network=proxy" "$(offered run --network=)"
like "profiles" "$(offered run -p "")" 'claude-code .*node'
is "the second of a list" "node,python" "$(offered run -p node,pyt)"
is "groups of hosts" "@npm" "$(offered run -a @np)"
is "groups of system calls" "namespaces" "$(offered run --allow-syscalls name)"
is "actions of mcp" "serve wrap" "$(offered mcp "")"
like "after wrap a program" "$(offered mcp wrap ls)" '(^| )ls( |$)'
is "options of a wrapped server" "--profile --project --project-dir --protect" "$(offered mcp wrap --pro)"
is "adapters" "claude-agent-sdk deepagents langchain openai-agents" "$(offered backend "")"
is "agents" "opencode" "$(offered agent install openc)"
is "actions" "install" "$(offered agent ins)"
is "languages" "python" "$(offered code -l py)"
"$SBX" session create begun-session >/dev/null 2>&1
is "sessions" "begun-session" "$(offered session rm beg)"
is "and of -s" "begun-session" "$(offered run -s beg)"
"$SBX" session rm begun-session >/dev/null 2>&1
is "files where a path stands" ":files" "$(offered run -r "")"
is "and where nothing is known" ":files" "$(offered run -- cat "")"
mkdir -p "$work/path" && printf '#!/bin/sh\ntouch "%s/canary"\n' "$work" >"$work/path/gibberish-tool" && chmod +x "$work/path/gibberish-tool"
is "programs of PATH" "gibberish-tool" "$(PATH=$work/path:$PATH offered run -- gibber)"
is "without --, too" "gibberish-tool" "$(PATH=$work/path:$PATH offered run gibber)"

# what a box may have written is neither run nor read
cat >Makefile <<END
X := \$(shell touch $work/canary)
test-all test-one: ; true
END
printf '{"scripts": {"start-it": "touch %s/canary"}}' "$work" >package.json
is "files behind a program" ":files" "$(offered run -- make t)"
is "and behind its words" ":files" "$(offered run -- npm run "")"

# The three shells, each with HOME/.local as the prefix.
home=$work/home rc=$work/home/rc
share=$home/.local/share
mkdir -p "$home/.local/bin" "$share/bash-completion/completions" "$share/zsh/site-functions" "$share/fish/vendor_completions.d" "$home/.config/fish"
ln -s "$SBX" "$home/.local/bin/sbx"
cp "$tree/completions/bash.sbx" "$share/bash-completion/completions/sbx"
cp "$tree/completions/zsh.sbx" "$share/zsh/site-functions/_sbx"
cp "$tree/completions/fish.sbx" "$share/fish/vendor_completions.d/sbx.fish"
printf '. /usr/share/bash-completion/bash_completion\nPS1="ready> "\n' >"$rc"
printf 'fpath=(%s $fpath)\nautoload -Uz compinit\ncompinit -u -d %s/dump\nPS1="ready> "\n' "$share/zsh/site-functions" "$home" >"$home/.zshrc"
printf 'function fish_prompt\n    echo -n "ready> "\nend\nset fish_greeting\n' >"$home/.config/fish/config.fish"
types() { # SHELL KEYS REGEX
	env -u XDG_DATA_HOME -u XDG_CONFIG_HOME -u XDG_DATA_DIRS HOME="$home" PATH="$home/.local/bin:$work/path:$PATH" \
		python3 "$tests/completions.py" "$1" "$project" "$rc" "$2" "$3" 2>&1
}
HOME=$home "$SBX" session create kept-session >/dev/null 2>&1
HOME=$home "$SBX" run -a a.test -- sleep 300 &
sleeper=$!
# Other suites of this user have runs too.
wait_for 30 sh -c "HOME=$home '$SBX' ps | grep -q '^$sleeper '" && pass "there is a run" || fail "there is a run" "$(HOME=$home "$SBX" ps)"
run=$sleeper
for shell in bash zsh fish; do
	reason=
	command -v $shell >/dev/null || reason="$shell is not installed"
	[ $shell != bash ] || [ -e /usr/share/bash-completion/bash_completion ] || reason="bash-completion is not installed"
	while IFS='|' read -r name keys wanted; do
		if [ -n "$reason" ]; then
			skip "$shell: $name" "$reason"
			continue
		fi
		said=$(types $shell "$(printf '%b' "$keys")" "$wanted") && pass "$shell: $name" || fail "$shell: $name" "$said"
	done <<END
a program|sbx run -- gibber\t|gibberish-tool
a file behind a program|sbx run -- make Makef\t|Makefile
a profile|sbx run -p claude\t|claude-code-shell
a session|sbx session rm ke\t|kept-session
a run|sbx allow \t\t|$run
a word behind '='|sbx run --network=pro\t|--network=proxy
a program of the machine|sbx run -- mkdi\t|mkdir
an option with a value|sbx run --netw\t|--network
a session behind an action|sbx session fork ke\t|kept-session
an option|sbx run --hide-unl\t|--hide-unless-named
a file|cat Makef\t|Makefile
END
	if [ -z "$reason" ] && [ $shell != bash ]; then
		said=$(types $shell "$(printf 'sbx run -\t')" 'show|visible') && pass "$shell: options with what they mean" || fail "$shell: options with what they mean" "$said"
	fi
done
# Without a file that is installed: what sbx prints is read by the shell.
rm "$share/bash-completion/completions/sbx" "$share/zsh/site-functions/_sbx" "$share/fish/vendor_completions.d/sbx.fish"
printf '. <(sbx completion bash)\nPS1="ready> "\n' >"$rc"
printf 'autoload -Uz compinit\ncompinit -u -d %s/dump2\nsource <(sbx completion zsh)\nPS1="ready> "\n' "$home" >"$home/.zshrc"
printf 'sbx completion fish | source\n' >>"$home/.config/fish/config.fish"
for shell in bash zsh fish; do
	if command -v $shell >/dev/null; then
		said=$(types $shell "$(printf 'sbx session rm ke\t')" kept-session) && pass "$shell: by sbx completion $shell" || fail "$shell: by sbx completion $shell" "$said"
	else
		skip "$shell: by sbx completion $shell" "$shell is not installed"
	fi
done
refused_as "another shell" "usage: sbx completion bash" "$SBX" completion tcsh
kill $sleeper 2>/dev/null
wait $sleeper 2>/dev/null
is "no TAB ran anything" "" "$(ls "$work/canary" 2>/dev/null)"
if command -v make >/dev/null; then
	make -npq >/dev/null 2>&1 # as completions of make that ask make
	is "though the Makefile would have" "$work/canary" "$(ls "$work/canary" 2>/dev/null)"
else
	skip "though the Makefile would have" "make is not installed"
fi

# where they are installed is where each shell looks
installed=$(meson introspect --installed "$here" 2>/dev/null | python3 -c 'import json, sys; print("\n".join(json.load(sys.stdin).values()))' 2>/dev/null)
prefix=$(meson introspect --buildoptions "$here" 2>/dev/null | python3 -c 'import json, sys; print([o["value"] for o in json.load(sys.stdin) if o["name"] == "prefix"][0])' 2>/dev/null)
looks() { # NAME, directories
	local place
	place=$(dirname "$(printf '%s\n' "$installed" | grep "/$2\$")")
	like "$1 looks into $place" "$3" "(^|[[:space:]])$place([[:space:]]|$)"
}
if [ -z "$installed" ]; then
	skip "where they are installed" "this build was not made by the meson here"
else
	looks bash completions/sbx "$prefix/share/bash-completion/completions"
	! command -v zsh >/dev/null || looks zsh _sbx "$(zsh -f -c 'print -l $fpath')"
	! command -v fish >/dev/null || looks fish sbx.fish "$(fish -c 'printf "%s\n" $fish_complete_path')"
fi
# A package's places, below /usr: debian/rules and packaging/pack move zsh's file where Debian's zsh looks.
like "bash looks into the package's place" "$(find /usr/share/bash-completion -maxdepth 1 -name completions)" '^/usr/share/bash-completion/completions$'
! command -v zsh >/dev/null || [ ! -e /etc/debian_version ] || like "zsh looks into the package's place" "$(zsh -f -c 'print -l $fpath')" '^/usr/share/zsh/vendor-completions$'
! command -v fish >/dev/null || like "fish looks into the package's place" "$(fish -c 'printf "%s\n" $fish_complete_path')" '^/usr/share/fish/vendor_completions\.d$'
done_testing
