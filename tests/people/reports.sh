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
box() { timeout 60 "$SBX" run "$@" 2>&1; }

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
	is "$report: what a link below a protected name leads to stays as it was" "" \
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
done_testing
