#!/bin/bash
# What people reported of sandboxes in homes, repositories and machines as they have them: each report's small
# input, by its number. "reports.sh 4 13" tries those alone.
. "$(dirname "$0")/../lib.sh"
chosen=" $* "
export HOME=$work/home GIT_CONFIG_NOSYSTEM=1
number() { # number, words: is it chosen? Then in a new project and a new home
	[ "$chosen" = "  " ] || [[ $chosen == *" $1 "* ]] || return 1
	report=$1
	chmod -R u+rwx "$HOME" 2>/dev/null
	rm -rf "$HOME"
	mkdir -p "$HOME"
	git config --global user.name tester
	git config --global user.email tester@example.org
	project=$(new_project)
	cd "$project" || exit 1
}
within="timeout 60"
box() { run_box "$@" 2>&1; }

if number 1; then
	mkdir -p scripts conf .ai/skills .claude .vscode
	printf '#!/bin/sh\n' >scripts/h && chmod +x scripts/h
	echo '{}' | tee conf/c.json conf/t.json >.ai/skills/s
	ln -s ../../scripts/h .git/hooks/pre-commit
	ln -s ../conf/c.json .claude/settings.json
	ln -s ../.ai/skills .claude/skills
	ln -s ../conf/t.json .vscode/tasks.json
	git add -A && git commit -qnm a
	box -- sh -c 'for f in scripts/h conf/c.json conf/t.json .ai/skills/s; do echo evil >>$f; done; mv conf c2; mv .ai a2' >log
	stays "$report: what a link below a protected name leads to stays as it was" "" \
		"$(grep -l evil scripts/h conf/c.json conf/t.json .ai/skills/s 2>&1)"
fi

if number 2; then
	# In a mount namespace of root's: one file of root's, one by a link, one that others may write, one of another's.
	if [ "$(id -u)" = 0 ] && id sbx-tester >/dev/null 2>&1 && [ -d /etc/ssh/ssh_config.d ]; then
		as_tester() { # commands on the directory, command in the box
			unshare -m bash -c 'mount -t tmpfs -o mode=755 none /etc/ssh/ssh_config.d && cd /etc/ssh/ssh_config.d && eval "$1" && cd / &&
				exec setpriv --reuid sbx-tester --regid sbx-tester --init-groups env -i HOME=/tmp PATH="$PATH" SBX="$SBX" bash -c "
				cd \$(mktemp -d) && export HOME=\$PWD && git init -q p && cd p && \$SBX run $2; rm -rf \$HOME"' bash "$1" "$2" 2>&1
		}
		like "$report: ssh reads what root put in /etc/ssh/ssh_config.d" "$(as_tester 'echo "Host *" >20-x.conf; echo "User fine" >>20-x.conf' '-- ssh -G example.org')" '^user fine'
		like "$report: by a link to what root wrote elsewhere" "$(as_tester 'mkdir x; echo "User fine" >x/y; ln -s x/y 20-x.conf' '-- ssh -G example.org')" '^user fine'
		like "$report: what others may write is refused" "$(as_tester 'echo "User evil" >20-x.conf; chmod 666 20-x.conf' '-- ssh -G example.org')" 'Bad owner or permissions'
		like "$report: what is another user's is refused" "$(as_tester 'echo "User evil" >20-x.conf; chown 12345 20-x.conf' '-- ssh -G example.org')" 'Bad owner or permissions'
		like "$report: what only root may read is not shown" "$(as_tester 'echo "User secret" >20-x.conf; chmod 600 20-x.conf' '-- cat /etc/ssh/ssh_config.d/20-x.conf')" 'Permission denied'
		like "$report: what is hidden stays hidden" "$(as_tester 'echo "User secret" >20-x.conf' '--hide /etc/ssh/ssh_config.d -- cat /etc/ssh/ssh_config.d/20-x.conf')" 'No such|denied'
	else
		skip "$report: ssh reads what root put in /etc/ssh/ssh_config.d" "needs root and the user sbx-tester"
	fi
fi

if number 3; then
	mkdir -p "$HOME/.cache/huggingface" "$HOME/.m2" "$HOME/.npm/_cacache"
	echo model | tee "$HOME/.cache/huggingface/m" "$HOME/.m2/settings.xml" "$HOME/.npm/_cacache/m" >/dev/null
	is "$report: a directory below a cache, to read" model "$(box --read ~/.cache/huggingface -- cat ~/.cache/huggingface/m)"
	is "$report: a file below a cache, to read" model "$(box --read ~/.m2/settings.xml -- cat ~/.m2/settings.xml)"
	is "$report: a directory below a cache, to write" written \
		"$(box --write ~/.npm/_cacache -- sh -c 'echo written >~/.npm/_cacache/m'; cat ~/.npm/_cacache/m)"
	ln -s ~/.m2 ~/.cache/linked
	is "$report: by a link in a cache" model "$(box --read ~/.cache/linked/settings.xml -- cat ~/.cache/linked/settings.xml)"
	is "$report: read-only, and the rest is the box's" "2 mine" \
		"$(box --read ~/.cache/huggingface -- sh -c 'echo x >~/.cache/huggingface/m; echo $?; echo mine >~/.cache/own; cat ~/.cache/own' 2>/dev/null | grep -v 'Read-only' | xargs)"
	mkdir -p "$work/data/sub" && echo one >"$work/data/sub/f" && echo two >"$work/data/f"
	is "$report: below an overlay, to write" "three new" \
		"$(box --overlay "$work/data" --write "$work/data/sub" -- sh -c "echo three >$work/data/sub/f; echo new >$work/data/f; cat $work/data/sub/f $work/data/f" | xargs)"
	is "$report: and nothing else of it" "three two" "$(cat "$work/data/sub/f" "$work/data/f" | xargs)"
	is "$report: below a tmpfs" "three" "$(box --tmpfs "$work/data" --read "$work/data/sub" -- cat "$work/data/sub/f")"
	out=$("$SBX" why ~/.cache/huggingface/m 2>&1 | grep -oE -- '--(read|write) [^ ;]*' | head -1)
	# shellcheck disable=SC2086
	is "$report: what 'sbx why' proposes works" model "$(box $out -- cat ~/.cache/huggingface/m)"
	# A box before this one left something at the place.
	mkdir -p ~/.cache/a/b && echo good >~/.cache/a/b/f
	for left in 'ln -s $PWD ~/.cache/a' 'echo x >~/.cache/a' 'mkdir -p ~/.cache/a; ln -s $PWD ~/.cache/a/b' 'mkdir -p ~/.cache/a; echo x >~/.cache/a/b' 'mkdir -p ~/.cache/a/b/f; chmod 0 ~/.cache/a/b' 'mkdir -m 0 ~/.cache/a'; do
		box -- sh -c "chmod -R u+rwx ~/.cache/a 2>/dev/null; rm -rf ~/.cache/a; $left" >log
		is "$report: after a box with $left" "good good file log" \
			"$(xargs <<<"$(box --read ~/.cache/a/b -- cat ~/.cache/a/b/f; box --read ~/.cache/a/b/f -- cat ~/.cache/a/b/f; ls)")"
	done
fi

if number 4; then
	mkdir -m 0 "$work/away" 2>/dev/null
	for name in .aws .kube .ssh .gnupg .cargo .nvm .gitconfig .npmrc .config/gh .cache .docker .pyenv .m2 go; do
		rm -rf "${HOME:?}/$name"
		mkdir -p "$(dirname ~/$name)"
		ln -s /root/x ~/$name
		is "$report: $name leads to where the caller may not look" fine "$(box -- echo fine | grep -v '^sbx: warning')"
		rm ~/$name
		[ $name = .gitconfig ] || { mkdir -m 0 ~/$name && is "$report: $name has mode 000" fine "$(box -- echo fine)" && rmdir ~/$name; }
	done
	ln -s /root/x ~/.aws && ln -s .kube ~/.kube && mkfifo ~/.npmrc
	is "$report: and for profiles that read, sessions and plans" "fine" "$(box -p open-read -- echo fine; "$SBX" plan -- true >log 2>&1 || cat log; "$SBX" why ~/.aws >log 2>&1 || cat log)"
	rm ~/.npmrc
	# Root can reach all.
	if [ "$(id -u)" != 0 ]; then
		ln -s /root/y ~/.cargo
		like "$report: the plan has a note" "$("$SBX" plan -- true)" "'.*/\.cargo/.*' is left out: you cannot reach it: '/root/y"
		like "$report: a flag that names it is an error, with both" "$(box --read ~/.cargo -- true)" "^sbx: --read: '.*/\.cargo': '/root/y': Permission denied"
		printf '[profile]\nextends = default\n[files]\nread = ~/.cargo\n' >~/p.ini
		like "$report: a line of a profile as well, with its number" "$(box -p ~/p.ini -- true)" "p\.ini:4: '.*/\.cargo': '/root/y': Permission denied"
	fi
	mkdir -p ~/w/s && echo key >~/w/s/key && chmod 0 ~/w/s
	stays "$report: what the caller could open is hidden whole" "" "$(box --write ~/w --hide ~/w/s/key -- sh -c 'chmod 700 ~/w/s; cat ~/w/s/key' | grep -x key)"
	mkdir -p ~/.config/fish && chmod 0 ~/.config/fish
	printf '[profile]\nextends = default\n[files]\nwrite = ~/.config\n' >~/w.ini
	XDG_CONFIG_HOME=$work/config box -p ~/w.ini -- sh -c 'chmod 700 ~/.config/fish; mv ~/.config/fish ~/.config/x; mkdir -p ~/.config/fish; echo evil >~/.config/fish/config.fish' >log
	chmod 700 ~/.config/fish
	stays "$report: and stays protected" "" "$(cat ~/.config/fish/config.fish 2>/dev/null)"
fi

if number 5; then
	mv .git/info info && ln -s ../info .git/info
	box -- true >log
	stays "$report: a link .git/info stays" "../info" "$(readlink .git/info)"
	mkdir -p mods && ln -s ../mods .git/modules
	box -- true >log
	stays "$report: a link .git/modules stays" "../mods" "$(readlink .git/modules)"
	rm .git/info && echo x >.git/info
	box -- true >log
	stays "$report: a file .git/info stays" x "$(cat .git/info)"
	rm -rf .git/info .git/modules info mods
	box -- sh -c 'rm -rf .git/info; mkdir info; echo "* filter=evil" >info/attributes; ln -s ../info .git/info; mkdir -p mods/x/hooks; ln -s ../mods .git/modules' >log
	stays "$report: a link that a box made there goes" "" "$(readlink .git/info .git/modules)"
	mkdir -p .git/info mine && rm -rf .git/info && ln -s ../mine .git/info
	box -- sh -c 'rm .git/info; mkdir .git/info; echo "* filter=evil" | tee .git/info/attributes >mine/attributes; mv mine x; mkdir mine; echo "* filter=evil" >mine/attributes' >log
	stays "$report: the user's link stays, and what it leads to cannot be written" "../mine" "$(readlink .git/info; cat mine/attributes 2>/dev/null)"
	for way in 'mkdir conf; mv .git/config conf/c; ln -s ../conf/c .git/config' 'ln -sf nowhere .git/config' 'ln -sf config .git/config' \
		'rm .git/config; mkfifo .git/config' 'ln -s .hg .hg' 'mkfifo .envrc'; do
		(cd "$(new_project)" && eval "$way" && ls -lR --time-style=+ . .git >"$work/before" && box -- sh -c 'echo evil >>conf/c; rm -f .git/config .hg .envrc; mv conf x' >"$work/log" &&
			true; echo "$?"; ls -lR --time-style=+ . .git | diff - "$work/before"; grep -s 'quarantine\|evil' "$work/log" conf/c) >"$work/got" 2>&1
		stays "$report: $way: it stays, and the run begins" "" "$(grep -v '^[01]$' "$work/got")"
	done
	printf '%s\n' worktrees modules | while read -r name; do ln -s ../mine ".git/$name"; done 2>/dev/null
	box -- sh -c 'mkdir mine/x; echo x >mine/y' >log
	stays "$report: nor below links worktrees and modules" "../mine ../mine" "$(readlink .git/worktrees .git/modules | xargs; ls mine)"
fi

if number 6; then
	given=()
	allow() { eval "given=($(sed -n "s/.*; to show it: --read /$1 /p" log | xargs -d "\n"))"; }
	layouts() { # name, the option that gives its directories, commands in the project
		given=()
		git commit -q --allow-empty -m one
		eval "$3"
		git -C "$PWD" log -1 --format=%s >/dev/null || fail "$report: $1: on the host"
		box -- git log -1 --format=%s >log
		like "$report: $1: the command is printed" "$(cat log)" "not in the box; to show it: --read '?/"
		stays "$report: $1: each directory once" "" "$(sed -n 's/.*to show it: --read //p' log | sort | uniq -d)"
		stays "$report: $1: and not again in the next run" "" "$(box -- true)"
		allow "$2"
		is "$report: $1: it works in the box" one "$(box "${given[@]}" -- git log -1 --format=%s)"
	}
	layouts "a link .git" --write 'mkdir -p ../repo$$; mv .git ../repo$$/p.git; ln -s ../repo$$/p.git .git'
	box "${given[@]}" -- sh -c 'git commit -q --allow-empty -m two; git config core.pager evil; d=$(readlink -f .git); echo evil | tee $d/hooks/pre-commit $d/commondir; git config alias.x y; mv $d/hooks $d/h; mkdir $d/hooks' >/dev/null
	is "$report: its hooks and configuration are protected, its data is not" "two " "$(git log -1 --format=%s) $(git config core.pager; grep -rs evil "$(readlink -f .git)/hooks" .git/commondir)"
	is "$report: sessions have it" two "$("$SBX" session create "s$$" >/dev/null; box -s "s$$" "${given[@]/#--write/--read}" -- git log -1 --format=%s)"
	cd "$(new_project)" && layouts "--separate-git-dir" --write 'git init -q --separate-git-dir "../sep $$.git"'
	box --report never -- true
	like "$report: without the line: sbx plan" "$("$SBX" plan -- true)" "; to show it: --read '?/"
	is "$report: without the line" 128 "$(box -- git log -1 >log 2>&1; echo $?)"
	cd "$(new_project)" && layouts "--shared" --read 'git clone -q --shared . ../c$$; cd ../c$$'
	is "$report: read-only, and nothing else of it" "objects" "$(box "${given[@]}" -- sh -c 'a=$(cat .git/objects/info/alternates); touch $a/x 2>/dev/null || ls $a/..')"
	workdir() { # as git-new-workdir makes it: links to the git directory $1, in the current directory
		mkdir -p .git/logs
		for part in config refs logs/refs objects info hooks packed-refs remotes rr-cache svn; do ln -s "$1/$part" ".git/$part"; done
		cp .git/refs/../HEAD .git/HEAD
	}
	evil='git commit -q --allow-empty -m two; git config core.pager evil; echo evil >"$(readlink -f .git/hooks)/pre-commit"; echo evil >.git/hooks/x
		echo evil >.git/info/attributes; echo /x/objects >.git/objects/info/alternates; echo evil >.git/commondir; git config alias.x y
		cd "$(dirname "$(readlink -f .git/refs)")" && mv hooks h; mkdir hooks; echo evil >hooks/pre-push; mv config c; echo "[core]pager=evil" >config; echo evil >commondir'
	cd "$(new_project)" && layouts "git-new-workdir" --write 'd=$PWD/.git; mkdir "../w$$" && cd "../w$$" && workdir "$d"'
	box "${given[@]}" -- sh -c "$evil" >log 2>&1
	is "$report: hooks, configuration and pointers are protected there, data is not" "two" "$(git log -1 --format=%s; git config core.pager
		grep -rls evil "$d/hooks" "$d/info" "$d/config"; ls "$d/commondir" .git/commondir "$d/objects/info/alternates" 2>/dev/null)"
	is "$report: sessions have it" two "$("$SBX" session create "w$$" >/dev/null; box -s "w$$" "${given[@]/#--write/--read}" -- git log -1 --format=%s)"
	cd "$(new_project)" && layouts "repo" --write 'r=$PWD/../r$$; mkdir -p "$r/projects" "$r/objects"; git init -q --bare "$r/objects/p.git"
		cp -a .git/objects "$r/objects/p.git"; rm -rf .git/objects; mv .git "$r/projects/p.git"; ln -s ../../objects/p.git/objects "$r/projects/p.git/objects"; workdir "$r/projects/p.git"'
	is "$report: git commits there" two "$(box "${given[@]}" -- git commit -q --allow-empty -m two; git log -1 --format=%s)"
	cd "$(new_project)" && layouts "objects on another disk" --read 'mkdir "../disk$$"; mv .git/objects "../disk$$"; ln -s "../../disk$$/objects" .git/objects'
	is "$report: objects are read-only" 1 "$(box "${given[@]}" -- touch .git/objects/x >log 2>&1; echo $?)"
	cd "$(new_project)" && mkdir "../none$$" && mv .git/refs .git/objects "../none$$" && mv "../none$$/objects" "../none$$/o" && ln -s "../../none$$/refs" "../../none$$/o" .git && mv .git/o .git/objects
	is "$report: objects are offered whatever their directory is called, what is no git directory is not" 1 "$(box -- git log -1 | grep -c 'to show it')"
	for way in "mkdir ../away$$; mv .git/objects ../away$$; ln -s ../../away$$/objects .git/objects|rm .git/objects; mkdir -p .git/objects/info" \
		'mv .git/objects o; ln -s ../o .git/objects|mkdir -p o/info' 'rm -r .git/objects/info; ln -s ../../i .git/objects/info; mkdir i|true'; do
		cd "$(new_project)" && git commit -q --allow-empty -m one && eval "${way%|*}"
		box -- sh -c "${way#*|}; echo $work/objects >.git/objects/info/alternates" >log 2>&1
		stays "$report: no list of alternates comes where objects are a link: ${way#*|}" "" "$(cat .git/objects/info/alternates 2>/dev/null)"
	done
	for way in 'echo "gitdir: /root/x" >.git' 'ln -s .git .git' 'ln -s /etc .git' 'mkfifo .git' 'git init -q; mkfifo .git/objects/info/alternates' \
		'git init -q; printf "/root/x\n/nowhere/objects\n\n#\n.\n" >.git/objects/info/alternates' 'git init -q; echo "$PWD/.git/objects" >.git/objects/info/alternates' \
		'git init -q; mv .git/objects o; ln -s ../o .git/objects; echo /x/objects >o/info/alternates' \
		'git init -q; mv .git/objects/info i; ln -s ../../i .git/objects/info; echo /x/objects >i/alternates' \
		'git init -q; rm -r .git/objects .git/refs; ln -s objects .git/objects; ln -s /root/x/refs .git/refs' 'git init -q; rm -r .git/refs .git/objects; ln -s . .git/refs; mkfifo .git/objects'; do
		rm -rf .git && eval "$way"
		is "$report: $way: a run" fine "$(box -- echo fine | grep -v '^fatal')"
	done
fi

if number 7; then
	mkdir -p ~/dot/hooks ~/dot/template/info ~/notes ~/.aws
	printf 'secrets.txt\n' >~/dot/ignore && ln -s dot/ignore ~/.gitignore_global
	printf '*.bin -text\n' >~/dot/attributes && ln -s dot/attributes ~/.gitattributes_global
	printf '\n# mine\n' >~/.gitmessage
	printf '#!/bin/sh\necho hook-ran >&2\n' >~/dot/hooks/real && chmod +x ~/dot/hooks/real && ln -s real ~/dot/hooks/pre-commit
	ln -s dot/hooks ~/.githooks
	mkfifo ~/dot/hooks/post-commit
	echo from-template >~/dot/template/info/mark
	echo 'me ssh-ed25519 AAAA' >~/.allowed && echo 1234 >.revs && cp .revs ~/.revs
	echo key >~/.aws/credentials
	git config --global core.excludesFile '~/.gitignore_global'
	git config --global core.attributesFile ~/.gitattributes_global
	git config --global commit.template '~/.gitmessage'
	git config --global core.hooksPath '~/.githooks'
	git config --global init.templateDir '~/dot/template'
	git config --global gpg.ssh.allowedSignersFile '~/.allowed'
	git config --global blame.ignoreRevsFile '~/.revs'
	echo K >secrets.txt
	out=$(box -- sh -c 'git add -A; git commit -qm x; git ls-files; git check-attr text x.bin; cat ~/.gitmessage ~/.allowed ~/.revs; git init -q t; cat t/.git/info/mark')
	stays "$report: excludesFile" 0 "$(grep -c secrets.txt <<<"$out")"
	like "$report: attributesFile" "$out" 'x.bin: text: unset'
	like "$report: hooksPath, with a hook that is a link, and a FIFO beside it" "$out" 'hook-ran'
	like "$report: template, signers, revisions" "$(xargs <<<"$out")" '# mine me ssh-ed25519 AAAA 1234'
	like "$report: init.templateDir" "$out" 'from-template'
	stays "$report: read-only" "" "$(box -- sh -c 'echo x >>~/dot/ignore; echo x >>~/dot/hooks/real' >log 2>&1; grep -l '^x' ~/dot/ignore ~/dot/hooks/real)"
	for value in ~/.aws/credentials ~ / /dev/zero ~/dot/hooks/post-commit ~/none "$PWD/out"; do
		ln -sfn ~/notes out; echo private >~/notes/n
		git config --global core.hooksPath "$value" && git config --global core.excludesFile "$value"
		is "$report: not $value" "alive" "$(box -- sh -c 'grep -rhs -e private -e key ~/.aws ~/notes; echo alive' | grep -v '^sbx')"
	done
	like "$report: and the plan says so" "$("$SBX" plan -- true)" "core.excludesfile names '.*/out', which is not in the box: a command in a box could have made a link"
	git config --global --unset core.hooksPath; git config --global --unset core.excludesFile
	ln -s ~/.aws/credentials ~/cred && git config --global core.excludesFile '~/cred'
	like "$report: nor what is a place of secrets by a link" "$("$SBX" plan -- true; box -- cat ~/.aws/credentials)" "core.excludesfile names .*: it is in a place of secrets"
	git config --global --unset core.excludesFile
	git config core.excludesFile ~/notes/n
	stays "$report: nor what the project's own configuration names" "" "$(box -- cat ~/notes/n | grep private)"
	printf '[core]\n\texcludesFile = ~/notes/n\n' >inc && git config include.path ../inc
	stays "$report: nor by an include of it" "" "$(box -- cat ~/notes/n | grep private)"
fi

if number 8; then
	certificate() { printf -- '-----BEGIN CERTIFICATE-----\n%s\n-----END CERTIFICATE-----\n' "$1"; }
	mkdir -p ~/dot/terminfo/x ~/certs ~/.aws ~/.config/pip
	infocmp xterm 2>/dev/null | sed 's/^xterm|/xterm-people|/' >ti
	tic -x -o ~/dot/terminfo ti 2>/dev/null || echo terminal >~/dot/terminfo/x/xterm-people
	ln -s dot/terminfo ~/.terminfo
	echo --hidden >~/dot/rg && ln -s dot/rg ~/.ripgreprc
	printf '[people]\n\tname = other\n[http]\n\textraHeader = "Authorization: Bearer abc"\n' >~/g.cfg && ln -s g.cfg ~/g.link
	{ echo '# Company'; certificate QUJD; printf -- '-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----\n'; } >~/dot/corp.pem && ln -s dot/corp.pem ~/corp.pem
	ln -s ../corp.pem ~/certs/12345678.0
	printf '[global]\nindex-url = https://me:pass@pip.example.org/simple\ntimeout = 7\n' >~/pip.conf
	echo key >~/.aws/credentials
	see() { env "$@" timeout 60 "$SBX" run -- sh -c "$command" 2>&1; }
	command='cat ~/.terminfo/x/xterm-people >/dev/null && echo there'
	is "$report: ~/.terminfo, without a variable" there "$(see A=1)"
	mv ~/.terminfo ~/ti
	command='cat "$TERMINFO/x/xterm-people" >/dev/null && echo there'
	is "$report: TERMINFO" there "$(see TERM=xterm-people TERMINFO=$HOME/ti)"
	is "$report: one of many" there "$(mkdir ~/dot/terminfo/y && touch ~/dot/terminfo/y/{1..150} && see TERM=xterm-people TERMINFO=$HOME/ti)"
	command='cat $RIPGREP_CONFIG_PATH'
	is "$report: RIPGREP_CONFIG_PATH" "--hidden" "$(see RIPGREP_CONFIG_PATH=$HOME/.ripgreprc)"
	command='git config people.name; cat ~/g.cfg'
	is "$report: GIT_CONFIG_GLOBAL, without its secrets" "other 0" "$(see GIT_CONFIG_GLOBAL=$HOME/g.link | sed -n 1p) $(see GIT_CONFIG_GLOBAL=$HOME/g.link | grep -c Bearer)"
	command='cat $PIP_CONFIG_FILE'
	is "$report: PIP_CONFIG_FILE, without its secrets" "[global] index-url = https://pip.example.org/simple timeout = 7" "$(see PIP_CONFIG_FILE=$HOME/pip.conf | xargs)"
	for name in SSL_CERT_FILE NODE_EXTRA_CA_CERTS REQUESTS_CA_BUNDLE CURL_CA_BUNDLE GIT_SSL_CAINFO; do
		command="cat \$$name"
		is "$report: $name, certificates alone" "$(certificate QUJD)" "$(see $name=$HOME/corp.pem)"
	done
	command='cat $SSL_CERT_DIR/12345678.0'
	is "$report: SSL_CERT_DIR" "$(certificate QUJD)" "$(see SSL_CERT_DIR=$HOME/certs)"
	{ printf -- '-----BEGIN CERTIFICATE-----\n-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----\n-----END CERTIFICATE-----\n'; certificate REVG; } >~/bad.pem
	command='cat $SSL_CERT_FILE'
	is "$report: no key that stands within a certificate's marks" "$(certificate REVG)" "$(see SSL_CERT_FILE=$HOME/bad.pem)"
	# What cannot come: the variable is withheld, the run works, and the plan says why.
	mkfifo ~/fifo && truncate -s 2M ~/large && ln -s ~/dot/rg planted && ln -s loop ~/loop && ln -s ~/.aws/credentials ~/cred && ln -s /root/x ~/away
	for value in ~/fifo ~/large "$PWD/planted" ~/loop ~/cred ~/.aws/credentials ~ ~/dot; do
		command='echo ${RIPGREP_CONFIG_PATH-withheld}'
		is "$report: withheld: $value" withheld "$(see RIPGREP_CONFIG_PATH="$value" | grep -v '^sbx')"
		like "$report: and the plan says so" "$(RIPGREP_CONFIG_PATH="$value" "$SBX" plan -- true 2>&1)" 'RIPGREP_CONFIG_PATH: .*which is not in the box: '
	done
	command='cat $RIPGREP_CONFIG_PATH'
	echo --own >.rg
	is "$report: a file of the project as before" "--own" "$(see RIPGREP_CONFIG_PATH="$PWD/.rg")"
fi

if number 10; then
	echo 'echo mine' >~/.zshrc
	if command -v zsh >/dev/null; then
		out=$(SHELL=/bin/zsh timeout 20 script -qec "$SBX shell" /dev/null <<<'echo in$SBX; exit' 2>&1)
		is "$report: zsh's wizard stays away" in1 "$(grep -o -e 'zsh-newuser-install' -e 'Z Shell configuration' -e in1 <<<"$out" | sort -u)"
	else
		skip "$report: zsh's wizard stays away" "no zsh"
	fi
fi

if number 11; then
	mkdir -p ~/big "$work/lib" ~/.ssh && echo x | tee ~/big/f "$work/lib/f" ~/.ssh/key >/dev/null
	ln -s ~/big data && ln -s ../lib lib
	ln -s ~/.ssh keys && ln -s data inner && ln -s /nowhere gone && ln -s gone/.. loop && ln -s /dev/null null && ln -s /usr/bin bin
	like "$report: a link out of the project is named after a failure" "$(box -- ls data/ | tee log)" "^sbx: the link data leads to '$HOME/big', which is not in the box; to show it: --read "
	like "$report: to a directory elsewhere" "$(cat log)" "the link lib leads to '$work/lib'"
	stays "$report: no place of secrets, nothing that is there, nothing that does not exist" "" "$(grep -E 'link (keys|gone|loop|null|bin) ' log)"
	is "$report: what it says works" f "$(eval "box $(sed -n 's/.*link data .*: \(--read .*\)/\1/p' log) -- ls data/")"
	stays "$report: once" "" "$(box -- ls data/ | grep 'the link')"
	box -- true >log && box -- ls data/ >>log
	stays "$report: also when a run succeeded meanwhile" "" "$(grep 'the link' log)"
	ln -s ~/big more
	stays "$report: nothing where nothing failed" "" "$(box -- true)"
	is "$report: a new one" "more" "$(box -- sh -c 'ln -s ~/big planted; false' | sed -n 's/^sbx: the link \([a-z]*\) .*/\1/p')"
fi

if number 12; then
	is "$report: <(...) of the caller's shell" same "$("$SBX" run -- sh -c 'cat "$0" "$1"' <(printf sa) <(echo me) 2>&1)"
	is "$report: no file, no directory, no descriptor that is not named" "1 1" \
		"$(xargs <<<"$("$SBX" run -- sh -c 'cat "$0"' /dev/fd/9 9<file >/dev/null 2>&1; echo $?; "$SBX" run -- sh -c 'cat /dev/fd/9' 9< <(echo x) >/dev/null 2>&1; echo $?)")"
fi

if number 13; then
	stays "$report: fallocate" 0 "$(box -- fallocate -l 4096 f >log 2>&1; echo $?)"
fi

if number 18; then
	mkdir -m 700 ~/.gnupg && echo key >~/.gnupg/pubring.kbx
	is "$report: the directory around what is shown of ~/.gnupg is the caller's alone" 700 "$(box --read ~/.gnupg/pubring.kbx -- stat -c %a "$HOME/.gnupg")"
fi

if number 21; then
	echo '[profile]' >own.ini && ln -s own.ini .sbx.ini
	like "$report: .sbx.ini that is a link" "$(box -- true)" 'is a symlink that is not followed; use a regular file'
	cp --remove-destination own.ini .sbx.ini
	stays "what it says then: a regular file is read" 0 "$(box --report never -- true >log 2>&1; echo $?)"
fi

if number 22; then
	is "$report: a line for a shell" "sbx: cannot run 'npm test': it is a line for a shell; fix: sbx run -c 'npm test'" "$(box 'npm test')"
	is "$report: two of them" "sbx: cannot run 'true && echo b': it is a line for a shell; fix: sbx run -c 'true && echo b'" "$(box -- 'true && echo b')"
	is "$report: cd" "sbx: cannot run 'cd': it is a line for a shell; fix: sbx run -c 'cd x'" "$(box cd x)"
	is "$report: a variable" "sbx: cannot run 'A=1': it sets a variable; fix: sbx run -e 'A=1' -- 'env'" "$(box -- A=1 env)"
	ln -s ./nowhere link
	is "$report: a link's far end" "sbx: cannot run './link': it is a symlink to './nowhere', which does not exist" "$(box -- ./link)"
fi

if number 23; then
	"$SBX" session create other >log 2>&1
	like "$report: a session of another project" "$(cd "$(new_project)" && box -s other -- true)" "the command runs in '.*', the project of session 'other'"
	"$SBX" session rm other >log 2>&1
fi

if number 26; then
	for directory in .opencode/bin .claude/local .composer/vendor/bin .config/composer/vendor/bin .krew/bin .local/share/aquaproj-aqua/bin \
		.local/share/hatch .gem/bin .stack/bin n/bin google-cloud-sdk/bin flutter/bin; do
		mkdir -p ~/$directory && printf '#!/bin/sh\necho ran\n' >~/$directory/tool && chmod +x ~/$directory/tool
		is "$report: ~/$directory" ran "$(PATH=$HOME/$directory:$PATH box -- tool)"
	done
	echo key >~/.gem/credentials
	stays "$report: and no key beside it" "" "$(box -- cat ~/.gem/credentials 2>/dev/null | grep key)"
fi

if number 27; then
	mkdir -p ~/.ssh/hosts ~/dot
	printf 'Host a\n  User a\n' | tee ~/.ssh/hosts/work ~/.ssh/mine ~/dot/ssh ~/.ssh/deeper >/dev/null
	printf 'Include ~/.ssh/deeper\n' >>~/dot/ssh
	echo '-----BEGIN OPENSSH PRIVATE KEY-----' >~/.ssh/id
	printf 'include hosts/* mine\nInclude="%s/dot/ssh"\nHost b\n  User b\nInclude id\n' "$HOME" >~/.ssh/config
	is "$report: what ssh's configuration includes comes along, by any name" "Host Host Host Host" \
		"$(box -p ssh -- cat ~/.ssh/hosts/work ~/.ssh/mine ~/dot/ssh ~/.ssh/deeper | grep -o '^Host' | xargs)"
	is "$report: no key does, and nothing is written" "in" "$(box -p ssh -- sh -c 'cat ~/.ssh/id; echo x >>~/.ssh/mine; echo in' | grep -x -e in -e '.*PRIVATE.*'; grep -h x ~/.ssh/mine)"
	mkdir -p ~/.aws ~/project/ssh && echo planted >~/.aws/credentials && ln -s ~/.aws/credentials ~/project/ssh/x && echo 'Include ~/project/ssh/*' >>~/.ssh/config
	is "$report: nor what a box could have linked, and the run goes on" "in" "$(cd ~/project && git init -q . && box -p ssh -- sh -c 'cat ssh/x ~/.aws/credentials; echo in' | grep -x -e in -e planted)"
	is "$report: without the profile nothing does" "in" "$(box -- sh -c 'cat ~/.ssh/mine ~/dot/ssh; echo in' | grep -x -e in -e Host.*)"
fi
done_testing
