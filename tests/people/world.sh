#!/bin/bash
# A home and repositories as people have them: each command of the table below says the same inside as outside, but
# for the differences that are listed with their reasons.
. "$(dirname "$0")/../lib.sh"
export HOME=$work/home GIT_CONFIG_NOSYSTEM=1 TERM=xterm-people GIT_AUTHOR_DATE='2026-01-02T03:04:05Z' GIT_COMMITTER_DATE='2026-01-02T03:04:05Z'
unset "${!XDG_@}" "${!NODE_@}" "${!npm_@}" "${!PYENV_@}" VIRTUAL_ENV SSH_AUTH_SOCK
export TZ=Europe/Berlin SHELL=/bin/zsh
script() { # path, words: an executable that says them
	mkdir -p "$(dirname "$1")"
	printf '#!/bin/sh\necho "%s"\n' "$2" >"$1"
	chmod 755 "$1"
}

make_home() {
	mkdir -p "$HOME" "$work/elsewhere/config/git" "$work/elsewhere/data" "$work/shut/x" && cd "$HOME" || exit 1
	# Caches of twelve tools, with content.
	local cache
	for cache in .cache/pip/http .cache/uv/wheels .cache/go-build/00 .cache/huggingface/hub .cache/ms-playwright/x \
		.cache/pypoetry/cache .cache/yarn/v6 .npm/_cacache/tmp .cargo/registry/index .m2/repository/a .gradle/caches/x \
		go/pkg/mod/cache; do
		mkdir -p "$cache" && echo content >"$cache/f"
	done
	# Dotfiles by stow: each a link, some through a directory that is one.
	mkdir -p .dotfiles/git/.config/git .dotfiles/zsh .dotfiles/fish .dotfiles/term/x .dotfiles/bin .dotfiles/ssh/conf.d
	ln -s .dotfiles/git/gitconfig .gitconfig
	mkdir -p .config && ln -s ../.dotfiles/fish .config/fish && ln -s ../.dotfiles/git/.config/git .config/git
	ln -s .dotfiles/zsh/zshrc .zshrc && echo 'echo from zshrc' >.dotfiles/zsh/zshrc
	echo 'echo from fish >/dev/null' >.dotfiles/fish/config.fish
	ln -s .dotfiles/bin bin && script .dotfiles/bin/mine 'my tool'
	ln -s .dotfiles/term .terminfo
	infocmp xterm 2>/dev/null | sed 's/^xterm|/xterm-people|/' >ti && tic -x -o .dotfiles/term ti 2>/dev/null
	printf '[user]\n\tname = Person\n\temail = person@example.org\n[include]\n\tpath = ~/.dotfiles/git/more\n' >.dotfiles/git/gitconfig
	printf '[core]\n\texcludesFile = ~/.gitignore_global\n\tattributesFile = ~/.gitattributes\n\thooksPath = ~/.githooks\n' >.dotfiles/git/more
	printf '[init]\n\ttemplateDir = ~/.gittemplate\n\tdefaultBranch = trunk\n[commit]\n\ttemplate = ~/.gitmessage\n[safe]\n\tdirectory = %s\n' "$work/p/owned" >>.dotfiles/git/more
	printf '[alias]\n\tst = status --short\n\tlg = log --oneline\n[pull]\n\trebase = true\n' >>.dotfiles/git/more
	echo '*.secret' >.dotfiles/git/ignore && ln -s .dotfiles/git/ignore .gitignore_global
	echo '*.bin -text' >.gitattributes && echo '# template' >.gitmessage
	mkdir -p .dotfiles/hooks .gittemplate/info && ln -s .dotfiles/hooks .githooks && script .dotfiles/hooks/pre-commit 'global hook'
	echo template >.gittemplate/info/mark
	# Links out of the home, in a circle, to where the user may not look; a FIFO and a directory where files are expected.
	ln -s "$work/elsewhere/data" data && echo big >data/f
	ln -s .loop2 .loop && ln -s .loop .loop2 && ln -s .aws .aws
	chmod 0 "$work/shut" && ln -s "$work/shut/x" .kube && ln -s /root/none .docker && ln -s /nonexistent .gem
	mkfifo .npmrc .wgetrc && mkdir .pypirc .netrc && ln -s /dev/null .node_repl_history && ln -s /dev/null .bash_history && ln -s /dev/null .asdfrc
	mkdir -m 0 .config/gh
	# Keys and hosts.
	mkdir -m 700 .ssh && echo 'Host work' >.ssh/conf.d-work && printf 'Include conf.d/*\nInclude ~/.dotfiles/ssh/conf.d/*\nHost *\n\tUser fine\n' >.ssh/config
	ln -s ../.dotfiles/ssh/conf.d .ssh/conf.d && printf 'Host far\n\tPort 2222\n' >.dotfiles/ssh/conf.d/far && chmod 600 .ssh/config
	# Six version managers, and environments of poetry and conda.
	script .nvm/versions/node/v1.0.0/bin/node-nvm nvm && ln -s versions/node/v1.0.0 .nvm/current
	script .pyenv/versions/3.9/bin/python-pyenv pyenv && script .pyenv/shims/shimmed pyenv-shim
	script .rbenv/versions/3/bin/ruby-rbenv rbenv && script .sdkman/candidates/java/17/bin/java-sdk sdkman
	ln -s 17 .sdkman/candidates/java/current
	script .asdf/installs/x/1/bin/x-asdf asdf && script .asdf/shims/asdf-shim asdf-shim
	script .rustup/toolchains/stable/bin/rustc-up rustup && mkdir -p .cargo/bin && ln -s ../../.rustup/toolchains/stable/bin/rustc-up .cargo/bin/rustc-up
	script .cache/pypoetry/virtualenvs/app-x-py3/bin/poetry-tool poetry
	script miniconda3/envs/data/bin/conda-tool conda && script .local/bin/local-tool local
	# A company's certificate, and XDG directories elsewhere.
	{ sed '/^-----END/q' /etc/ssl/certs/ca-certificates.crt && printf -- '-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----\n'; } >.dotfiles/corp.pem && ln -s .dotfiles/corp.pem corp.pem
	echo --smart-case >.dotfiles/rg && ln -s .dotfiles/rg .ripgreprc
	printf '[alias]\n\telse = status\n' >"$work/elsewhere/config/git/config"
	export SSL_CERT_FILE=$HOME/corp.pem NODE_EXTRA_CA_CERTS=$HOME/corp.pem RIPGREP_CONFIG_PATH=$HOME/.ripgreprc
	PATH=$HOME/bin:$HOME/.local/bin:$HOME/.nvm/current/bin:$HOME/.pyenv/shims:$HOME/.pyenv/versions/3.9/bin:$HOME/.rbenv/versions/3/bin:$HOME/.sdkman/candidates/java/current/bin:$HOME/.asdf/shims:$HOME/.cargo/bin:$HOME/miniconda3/envs/data/bin:$PATH
}

commit() { # in the directory: a repository with a file
	git init -q "$1" && echo "file of $1" >"$1/f" && git -C "$1" add f && git -C "$1" commit -qnm "first of $1"
}

make_repositories() {
	mkdir "$work/p" && cd "$work/p" || exit 1
	commit plain
	(cd plain && mkdir conf .vscode .github && echo '{}' >conf/t.json && ln -s ../conf/t.json .vscode/tasks.json && ln -s conf/envrc .envrc &&
		script scripts/h 'project hook' && echo s >x.secret && echo b >y.bin && printf '#!/bin/sh\r\necho x\r\n' >crlf && chmod +x crlf)
	commit ref
	git clone -q --shared ref shared
	git clone -q --reference ref ref referenced
	git init -q --separate-git-dir "$work/p/away.git" separate && echo s >separate/f && git -C separate add f && git -C separate commit -qnm separate
	git clone -q ref super && git -C super -c protocol.file.allow=always submodule --quiet add ../ref sub && git -C super commit -qnm sub
	git -C ref worktree add -q "$work/p/tree" -b tree
	# As `repo` has it: .git is a link into .repo; and the directory of git-new-workdir: links for nearly all.
	mkdir -p .repo/projects linked && commit other && mv other/.git .repo/projects/l.git && ln -s ../.repo/projects/l.git linked/.git && mv other/f linked/f
	mkdir -p workdir/.git/logs && for part in config refs objects info hooks packed-refs logs/refs; do ln -s "$work/p/plain/.git/$part" "workdir/.git/$part"; done
	cp plain/.git/HEAD workdir/.git/HEAD && git -C workdir checkout -qf
	# Hooks and settings that are links.
	commit hooked && (cd hooked && mkdir -p .git/hooks && script scripts/h 'local hook' && ln -s ../../scripts/h .git/hooks/post-checkout && git config core.hooksPath .git/hooks && git add -A && git commit -qnm hooks)
	commit owned
}

# A line: the project, then the command.
commands=(
	'plain git status --short'
	'plain git log --format=%an%s'
	'plain git st'
	'plain git check-ignore -v x.secret | sed "s,.*/,,"'
	'plain git check-attr text y.bin'
	'plain git config --get-all core.excludesFile'
	'plain git config user.email'
	'plain git commit --allow-empty -qm x; git log -1 --format=%s'
	'plain GIT_EDITOR=cat git commit --allow-empty 2>&1 | head -1'
	'plain git init -q new; cat new/.git/info/mark; git -C new symbolic-ref HEAD; rm -rf new'
	'plain git diff --stat; git stash list'
	'plain mine; local-tool'
	'plain node-nvm; python-pyenv; shimmed; ruby-rbenv; java-sdk; asdf-shim; rustc-up; conda-tool'
	'plain tput cols >/dev/null && tput bold | od -c | head -1'
	'plain date -d @0 +%Z%H'
	'plain cat $RIPGREP_CONFIG_PATH'
	'plain sed -n 2p $SSL_CERT_FILE; grep -c CERTIFICATE $NODE_EXTRA_CA_CERTS'
	'plain cat $NODE_EXTRA_CA_CERTS'
	'plain python3 -c "import ssl,sys; print(sys.version_info[0])"'
	'plain node -e "console.log(1+1)"'
	'plain zsh -c "echo zsh"'
	'plain fish -c "echo fish"'
	'plain less f | cat'
	'plain make -v | head -1'
	'plain gcc -x c -E - </dev/null | tail -1'
	'plain go env GOOS'
	'plain cargo --version 2>&1 | cut -c1-5'
	'plain ruby -e "puts 1"'
	'plain gpg --version | head -1'
	'plain id -un; whoami; echo $HOME ~'
	'plain pwd; ls; test -w . && echo writable'
	'plain echo 1 >../plain/w && cat w && rm w'
	'plain ./crlf'
	'plain poetry-tool'
	'plain ls ~/.cache/huggingface/hub'
	'plain cat ~/data/f'
	'plain ssh -F ~/.ssh/config -G far 2>/dev/null | grep -E "^(port|user) "'
	'shared git log --format=%s'
	'referenced git log --format=%s'
	'separate git log --format=%s'
	'super git log --format=%s -1; git -C sub log --format=%s'
	'tree git log --format=%s; git branch'
	'linked git log --format=%s'
	'workdir git log --format=%s | tail -1'
	'hooked git checkout -q . && git log --format=%s -1'
	'hooked ls -l .git/hooks/post-checkout | sed "s,.*>,,"'
	'owned git status --short'
	'plain git log -1 --format=%cd --date=local'
	'plain find . -name f -not -path "./.git/*"'
	'plain umask; ulimit -c >/dev/null; nproc >/dev/null'
)
# What is another inside: the beginning of the line, what it says there (an extended regular expression), the reason.
differences=(
	'plain cat $NODE|^[^ ]*BEGIN CERT[^ ]* [^ ]* .*-----END CERTIFICATE----- status 0$|a private key stays outside'
	'plain ls ~/.cache|No such file|caches of the host are not shown'
	'plain cat ~/data|No such file|the home is private, with what links of it lead to'
	'plain ssh -F|^status 1$|~/.ssh is a place of secrets'
)

try() { # inside or outside, project, command
	cd "$work/p/$2" || exit 1
	case $1 in
	outside) timeout 20 bash -c "$3" ;;
	inside) eval "timeout 20 \"\$SBX\" run --report never ${given[$2]:-} -- bash -c \"\$3\"" ;;
	esac >"$work/$1" 2>&1 </dev/null
	echo "status $?" >>"$work/$1"
}

# Root's part: forms of /etc, each in a copy of it in a mount namespace, used as sbx-tester.
in_etc() { # what makes the form, the command: what it says outside and inside
	unshare -m bash -c 'mount -t tmpfs -o mode=755 none /mnt && cp -a /etc/. /mnt && mount --bind /mnt /etc && mount -t tmpfs -o mode=755 none /run &&
		cd /etc && eval "$1" && cd / && for box in "" "$SBX run --network host --report never --"; do
		timeout 20 setpriv --reuid sbx-tester --regid sbx-tester --init-groups env -i HOME="$3" PATH="$PATH" bash -c "cd ~/p && $box bash -c \"\$1\"" bash "$2" 2>&1 | xargs -d "\n"; done' bash "$1" "$2" "$etc_home"
}
etc() { # the form's name, what makes it, the command, [what it says inside, the reason]
	local said outside inside
	said=$(in_etc "$2" "$3")
	outside=$(sed -n 1p <<<"$said") inside=$(sed -n 2p <<<"$said")
	if [ $# -gt 3 ]; then is "/etc: $1: $5" "$4" "$inside"; else is "/etc: $1" "$outside" "$inside"; fi
}
make_etc() {
	local zone=/usr/share/zoneinfo/Asia/Tokyo
	etc_home=$(mktemp -d /tmp/sbx-etc.XXXXXX) && mkdir "$etc_home/p" && chown -R sbx-tester "$etc_home"
	etc 'localtime is a link' "ln -sfn $zone localtime" 'date -d @0 +%H'
	etc 'localtime is a relative link' "ln -sfn ..$zone localtime" 'date -d @0 +%H'
	etc 'localtime is a file' "rm localtime; cp $zone localtime" 'date -d @0 +%H'
	etc 'localtime is a link to a link' "ln -s $zone zone; ln -sfn zone localtime" 'date -d @0 +%H'
	etc 'localtime leads nowhere' 'ln -sfn /nowhere localtime' 'date -d @0 +%H'
	etc 'localtime is missing' 'rm localtime' 'date -d @0 +%H'
	etc 'localtime leads in a circle' 'rm localtime; ln -s localtime localtime' 'date -d @0 +%H'
	etc 'localtime leads out of view' "cp $zone /run/zone; ln -sfn /run/zone localtime" 'date -d @0 +%H' 00 'what it leads to is not shown'
	etc 'resolv.conf is a file' 'rm -f resolv.conf; echo nameserver 127.0.0.9 >resolv.conf' 'cat /etc/resolv.conf'
	etc "resolv.conf is systemd's link" 'mkdir -p /run/systemd/resolve; echo nameserver 127.0.0.53 >/run/systemd/resolve/stub-resolv.conf; ln -sfn ../run/systemd/resolve/stub-resolv.conf resolv.conf' 'cat /etc/resolv.conf'
	etc "resolv.conf is another's link" 'mkdir -p /run/NetworkManager; echo nameserver 127.0.0.8 >/run/NetworkManager/resolv.conf; ln -sfn /run/NetworkManager/resolv.conf resolv.conf' 'cat /etc/resolv.conf'
	etc 'resolv.conf leads nowhere' 'ln -sfn ../run/nowhere resolv.conf' 'cat /etc/resolv.conf 2>/dev/null; echo $?'
	etc 'resolv.conf is missing' 'rm resolv.conf' 'cat /etc/resolv.conf 2>/dev/null; echo $?'
	etc 'resolv.conf leads in a circle' 'rm -f resolv.conf; ln -s resolv.conf resolv.conf' 'cat /etc/resolv.conf 2>/dev/null; echo $?'
	etc 'gitconfig is a link' 'echo "[people]" >git.real; echo "x = y" >>git.real; ln -sfn git.real gitconfig' 'git config people.x'
	etc 'gitconfig is a FIFO' 'rm -f gitconfig; mkfifo gitconfig' 'timeout 1 cat /etc/hostname'
	etc 'gitconfig only root may read' 'echo "[people]" >gitconfig; chmod 600 gitconfig' 'cat /etc/hostname'
	etc 'certificates are a link' 'mv ssl/certs/ca-certificates.crt ssl/bundle; ln -s ../bundle ssl/certs/ca-certificates.crt' 'head -1 /etc/ssl/certs/ca-certificates.crt'
	etc 'hosts is missing' 'rm hosts' 'cat /etc/hosts 2>/dev/null; echo $?'
	etc 'passwd has no line for the caller' 'sed -i /^sbx-tester/d passwd' 'id -u'
	rm -rf "$etc_home"
}
if [ "$(id -u)" = 0 ]; then
	if id sbx-tester >/dev/null 2>&1; then make_etc; else skip "forms of /etc" "no user sbx-tester"; fi
	done_testing
	exit
fi
make_home
make_repositories
# What lies elsewhere is in the box with the line that a run prints.
declare -A given
for name in shared referenced separate linked workdir; do
	case $name in shared | referenced) how=read ;; *) how=write ;; esac
	cd "$work/p/$name" && given[$name]=$("$SBX" run -- true 2>&1 | sed -n "s/.*; to show it: --read /--$how /p" | xargs -d '\n') && [ -n "${given[$name]}" ] || fail "$name: no line is printed"
done
for line in "${commands[@]}"; do
	try outside "${line%% *}" "${line#* }"
	try inside "${line%% *}" "${line#* }"
	inside=$(xargs -d '\n' <"$work/inside")
	known=
	for row in "${differences[@]}"; do
		IFS='|' read -r begin says reason <<<"$row"
		[[ $line == "$begin"* ]] && known=$says && break
	done
	if [ -z "$known" ]; then
		is "$line" "$(cat "$work/outside")" "$(cat "$work/inside")"
	elif cmp -s "$work/outside" "$work/inside"; then
		fail "$line: differs no more" "remove its row: $reason"
	else
		like "$line: $reason" "$inside" "$known"
	fi
done
done_testing
