#!/bin/bash
# The profiles that come with sbx: each hides every secret, and the real tools work in it.
. "$(dirname "$0")/../lib.sh"
root=$(cd "$(dirname "$0")/../.." && pwd)
export HOME=$work/home PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin LC_ALL=C
mkdir -p "$HOME"
git config --global user.name tester && git config --global user.email tester@example.org
git config --global init.defaultBranch main && git config --global alias.last 'log -1 --format=%s'
profiles=$("$SBX" profile list | cut -d' ' -f1)
is "all of them" "secrets base default offline open-read git node python rust go java c ruby php browser ssh ssh-agent-unfiltered gpu display x11 sound docker podman serial jupyter playwright aged-packages github-token gitlab-token npm-token pypi-token anthropic openai gemini-key openrouter claude-code claude-code-shell codex codex-shell copilot copilot-shell gemini gemini-shell opencode opencode-shell qwen qwen-shell mcp-filesystem mcp-memory mcp-sequential-thinking mcp-github mcp-postgres mcp-playwright" "$(echo $profiles)"
project=$(new_project)
cd "$project" || exit 1
set_keys

# Every secret of the home, as a file and as a directory. The twin sees them all.
mapfile -t secrets < <(sed -n 's|^hide-unless-named = ~/||p' "$root/profiles/secrets.ini")
# Exactly: one that is taken out must be noticed.
is "the places of secrets in the home" 335 ${#secrets[@]}
# Without a process for each of them: 25,000 reads are 75 boxes' work.
look='cd ~; for each in "$@"; do for file in "$each" "$each/inner"; do line=; { read -r line <"$file"; } 2>/dev/null; [ "$line" != SECRET ] || echo "$each"; done; done; :'
# An agent as a whole gets its own way to sign in, and no other's.
declare -A own=([claude-code]=".claude.json .claude/.credentials.json" [codex]=.codex/auth.json [gemini]=.gemini [qwen]=.qwen [copilot]=.copilot [opencode]=.local/share/opencode/auth.json [x11]=.Xauthority)
for kind in file dir; do
	for each in "${secrets[@]}"; do
		rm -rf "${HOME:?}/$each"
		mkdir -p "$(dirname "$HOME/$each")"
		if [ $kind = file ]; then echo SECRET >"$HOME/$each"; else mkdir "$HOME/$each" && echo SECRET >"$HOME/$each/inner"; fi
	done
	printf '[files]\nread = ~\nread = ?/usr\nread = ?/bin\nread = ?/lib\nread = ?/lib64\nread = ?/etc\n' >"$work/twin.ini"
	twin=$("$SBX" run -p "$work/twin.ini" -- bash -c "$look" - "${secrets[@]}" 2>/dev/null)
	is "without the table each $kind is seen" "$(printf '%s\n' "${secrets[@]}")" "$twin"
	for profile in $profiles; do
		if [ "$profile" = secrets ]; then continue; fi
		is "$profile, with the home readable: no secret $kind is, but its own" "${own[$profile]:-}" \
			"$(echo $("$SBX" run -p "$profile" --read "$HOME" -- bash -c "$look" - "${secrets[@]}" 2>&1 | grep -v "^sbx: secret .*: no request to its hosts carried it\$"))"
	done
	stays "open-read: no secret $kind is" "" "$(run_box -p open-read -- bash -c "$look" - "${secrets[@]}" 2>&1)"
done
for each in "${secrets[@]}"; do rm -rf "${HOME:?}/$each"; done
for each in $(sed -n 's|^hide = /|/|p' "$root/profiles/secrets.ini"); do
	[ -e "$each" ] || continue
	is "open-read: $each" "tried 1" "$(SBX_TEST_SKIP=settings "$SBX_TESTING" run -p open-read -- bash -c "echo tried; { [ -d $each ] && ls -A $each || cat $each; } >/dev/null; echo \$((\$? != 0))" 2>/dev/null | xargs)"
done
is "a secret behind a symlink is hidden where it lies" 1 "$(mkdir -p "$work/dotfiles/aws" && echo SECRET >"$work/dotfiles/aws/inner" && ln -s "$work/dotfiles/aws" "$HOME/.aws" && "$SBX" run --read "$work/dotfiles" -- cat "$work/dotfiles/aws/inner" >/dev/null 2>&1; echo $?)"
rm "$HOME/.aws"
mkdir -p "$HOME/.local/bin" "$HOME/.local/share/uv/tools/tool/bin" "$HOME/.local/share/uv/credentials"
printf '#!/bin/sh\necho tool ran\n' >"$HOME/.local/share/uv/tools/tool/bin/tool" && chmod +x "$HOME/.local/share/uv/tools/tool/bin/tool"
ln -s ../share/uv/tools/tool/bin/tool "$HOME/.local/bin/tool" && echo SECRET >"$HOME/.local/share/uv/credentials/credentials.toml"
is "default: a tool that uv installed runs" "tool ran" "$(PATH=$HOME/.local/bin:$PATH "$SBX" run -- tool 2>&1)"
is "default: what uv signs in with is hidden" 1 "$("$SBX" run -- cat "$HOME/.local/share/uv/credentials/credentials.toml" >/dev/null 2>&1; echo $?)"
rm -r "$HOME/.local"
if [ "$(id -u)" = 0 ]; then
	roots=$(mktemp -d /opt/sbx-test.XXXXXX) && chmod 755 "$roots" && (umask 077 && echo key >"$roots/key")
	is "root: a file of root's own in /opt comes in by its name" key "$("$SBX" run --read "$roots/key" -- cat "$roots/key" 2>&1)"
	rm -r "$roots"
fi
echo note >"$HOME/note"
is "open-read: the rest of the home is read" note "$("$SBX" run -p open-read -- cat "$HOME/note")"
is "open-read: and not written" 1 "$("$SBX" run -p open-read -- bash -c 'echo x >~/note' 2>/dev/null; echo $?)"
is "open-read: sbx's own files are hidden" 1 "$(mkdir -p "$HOME/.config/sbx" && echo '[profile]' >"$HOME/.config/sbx/mine.ini" && "$SBX" run -p open-read -- cat "$HOME/.config/sbx/mine.ini" >/dev/null 2>&1; echo $?)"
mkdir -p "$HOME/.ssh" && echo hosts >"$HOME/.ssh/known_hosts" && echo SECRET >"$HOME/.ssh/id_ed25519" && echo token >"$HOME/.npmrc"
for profile in default open-read; do
	is "$profile: a secret that is named is let in" token "$("$SBX" run -p $profile --read ~/.npmrc -- cat "$HOME/.npmrc" 2>&1)"
	is "$profile: what is named in a secret directory is let in, the rest is not there" "hosts known_hosts" "$("$SBX" run -p $profile --read ~/.ssh/known_hosts -- bash -c 'cat ~/.ssh/known_hosts; ls -A ~/.ssh' 2>&1 | tr '\n' ' ' | sed 's/ $//')"
done
is "hide is not overruled by a name" 1 "$("$SBX" run --hide ~/.npmrc --read ~/.npmrc -- cat "$HOME/.npmrc" >/dev/null 2>&1; echo $?)"
rm -r "$HOME/.ssh" "$HOME/.npmrc"
# Doors: the sockets of a session, each by the profile of its name alone. The report names those that open more.
door() { # profile, socket, variable to pass, what stderr says
	mkdir -p "$(dirname "$2")" && rm -f "$2"
	python3 -c 'import socket, sys; s = socket.socket(socket.AF_UNIX); s.bind(sys.argv[1]); s.listen(); c = s.accept()[0]; c.send(b"answer")' "$2" &
	wait_for 10 test -S "$2"
	is "$1: not in the default profile" 1 "$("$SBX" run -- python3 -c 'import socket, sys; s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1])' "$2" >/dev/null 2>&1; echo $?)"
	is "$1: its socket answers" "answer here" "$(export "$3=here"; run_box -p "$1" -- python3 -c 'import os, socket, sys; s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); print(s.recv(9).decode(), os.environ[sys.argv[2]])' "$2" "$3" 2>"$work/log")"
	stays "$1: the report" "$4" "$(cat "$work/log")"
	wait $!
}
export XDG_RUNTIME_DIR=$work/run
SSH_AUTH_SOCK=$work/run/agent door ssh-agent-unfiltered "$work/run/agent" LANG ""
door docker "$work/run/docker.sock" DOCKER_HOST "sbx: docker can do anything on this machine"
door podman "$work/run/podman/podman.sock" CONTAINER_HOST "sbx: podman can run anything as you, outside"
door sound "$work/run/pulse/native" PULSE_SERVER ""
WAYLAND_DISPLAY=wayland-9 door display "$work/run/wayland-9" XDG_SESSION_TYPE ""
for each in docker.sock podman.sock .X11-unix/X0; do
	mkdir -p "$work/doors/.X11-unix"
	python3 -c 'import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])' "$work/doors/$each"
	ln -sfn "$work/doors/$each" "$project/innocent"
	printf '[files]\nsocket = ./innocent\n' >"$project/.sbx.ini"
	like "a project's file cannot open $each, trusted or not, by another name" "$(cd "$project" && "$SBX" profile trust 2>&1 | tail -1; echo ${PIPESTATUS[0]})" "a project's file cannot open it; use a flag, or a profile of yours"
	is "a flag can" 0 "$(cd "$project" && rm .sbx.ini && "$SBX" run --socket "$work/doors/$each" -- true 2>/dev/null; echo $?)"
done
printf '[profile]\nextends = docker\n' >"$project/.sbx.ini"
like "nor by a profile that it extends" "$(cd "$project" && "$SBX" profile untrust; : >"$work/run/x"; python3 -c 'import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])' "$work/run/docker.sock" 2>/dev/null; "$SBX" profile trust 2>&1)" "docker.sock' is root on this machine: a project's file cannot open it"
device=$(find /dev -maxdepth 1 -type c -name 'tty?*' | sort | head -1)
if [ -n "$device" ]; then
	printf '[files]\ndevice = %s\n' "${device#/dev/}" >"$project/.sbx.ini"
	like "nor a serial port" "$(cd "$project" && "$SBX" profile trust 2>&1)" "'$device' opens a serial port: a project's file cannot open it"
else
	skip "nor a serial port" "this machine has none"
fi
rm -f "$project/.sbx.ini" "$project/innocent"
unset XDG_RUNTIME_DIR
is "aged-packages: a week" "7 10080 7d" "$("$SBX" run -p node -p aged-packages -- sh -c 'echo $npm_config_min_release_age $npm_config_minimum_release_age $YARN_NPM_MINIMAL_AGE_GATE')"
is "they stack" "tmpfs" "$("$SBX" plan -p node -p git -- true | awk -v h="$HOME" '$2 == h { print $1 }')"

# Real work in each, without a network, and what is kept for the next run.
tool() { # profile, name, program, set-up, task, expected
	local place
	if ! command -v "$3" >/dev/null; then
		skip "$1: $2" "$3 is not installed"
		return
	fi
	place=$(new_project)
	(cd "$place" && eval "$4") >"$work/setup" 2>&1
	out=$(cd "$place" && timeout 600 "$SBX" run -p "$1" -- bash -c "$5" 2>"$work/log" | tail -1)
	if [ "$out" = "$6" ]; then pass "$1: $2"; else fail "$1: $2" "wanted $6, got $out: $(tail -qn5 "$work/log" "$work/setup")"; fi
}
kept() { # profile, directory below the home
	(cd "$project" && "$SBX" run -p "$1" -- bash -c "mkdir -p ~/$2 && echo kept >~/$2/sbx-test") 2>"$work/log"
	is "$1: ~/$2 is kept" kept "$(cd "$project" && "$SBX" run -p "$1" -- cat "$HOME/$2/sbx-test" 2>&1)"
	is "$1: and not the host's" no "$([ -e "$HOME/$2/sbx-test" ] && echo yes || echo no)"
}
tool git "commit with own settings and aliases" git 'git add file' 'git commit -qm "in a box" && git last' 'in a box'
tool node "npm runs a package's script" npm 'echo "{\"name\":\"x\",\"version\":\"1.0.0\",\"scripts\":{\"test\":\"node t.js\"}}" >package.json; echo "console.log(6*7)" >t.js' 'npm test --silent' 42
tool node "npm packs" npm 'echo "{\"name\":\"x\",\"version\":\"1.0.0\"}" >package.json' 'npm pack --silent' x-1.0.0.tgz
tool python "a virtual environment, unittest" python3 'printf "import unittest\nclass T(unittest.TestCase):\n def test(self): pass\n" >test_x.py' 'python3 -m venv --without-pip v && v/bin/python -m unittest 2>&1' OK
tool rust "cargo test" cargo 'cargo init -q --name x --lib .; printf "#[test]\nfn t() { assert_eq!(6 * 7, 42); }\n" >src/lib.rs' 'cargo test -q --offline 2>&1 | grep -o "1 passed" | head -1' '1 passed'
tool go "go test" go 'printf "module x\ngo 1.16\n" >go.mod; printf "package x\nimport \"testing\"\nfunc TestX(t *testing.T) {}\n" >x_test.go' 'GOTOOLCHAIN=local GOFLAGS=-mod=mod go test ./... | cut -c1-4' 'ok  '
tool java "javac and java" javac 'echo "public class X { public static void main(String[] a) { System.out.println(6 * 7); } }" >X.java' 'javac X.java && java X' 42
tool c "make with gcc" make 'printf "#include <stdio.h>\nint main(void) { printf(\"%%d\\\\n\", 6 * 7); }\n" >x.c; printf "x: x.c\n\tgcc -o x x.c\n" >Makefile' 'make -s && ./x' 42
tool ruby "gem builds" gem 'printf "Gem::Specification.new { |s| s.name = \"x\"; s.version = \"1.0\"; s.summary = s.author = \"x\"; s.files = [] }" >x.gemspec' 'gem build -q x.gemspec 2>/dev/null; ls *.gem' x-1.0.gem
tool ruby "ruby with its library" ruby ':' 'ruby -rjson -rset -e "puts JSON.generate([6 * 7])"' '[42]'
tool php "php" php 'echo "<?php echo json_encode([6 * 7]), PHP_EOL;" >x.php' 'php x.php' '[42]'
tool python "pip installs a package" pip3 'printf "[build-system]\nrequires = []\nbuild-backend = \"setuptools.build_meta\"\n[project]\nname = \"xx\"\nversion = \"1.0\"\n" >pyproject.toml; echo "x = 42" >xx.py' 'python3 -c "import setuptools" && pip3 install -q --no-index --no-build-isolation --no-deps --target t . && python3 -c "import sys; sys.path.insert(0, \"t\"); import xx; print(xx.x)"' 42
tool c "cmake builds" cmake 'printf "int main(void) { return 0; }\n" >x.c; printf "cmake_minimum_required(VERSION 3.10)\nproject(x C)\nadd_executable(x x.c)\n" >CMakeLists.txt' 'cmake -B b >/dev/null && cmake --build b >/dev/null && b/x && echo built' built
tool java "maven reads a project" mvn 'echo "<project><modelVersion>4.0.0</modelVersion><groupId>g</groupId><artifactId>x</artifactId><version>1</version><packaging>pom</packaging></project>" >pom.xml' 'mvn -B -o -q -Dmaven.repo.local="$HOME/.m2/repository" validate >/dev/null && echo valid' valid
initdb=$(ls /usr/lib/postgresql/*/bin/initdb 2>/dev/null | tail -1)
if [ "$(id -u)" = 0 ]; then
	skip "default: a database server" "postgres refuses to run as root"
	skip "browser: a page with script" "chromium wants no sandbox of its own as root"
else
	tool browser "a page with script, headless, with chromium's own sandbox" chromium-headless-shell 'echo "<script>document.write(6 * 7)</script>" >x.html' 'chromium-headless-shell --dump-dom "file://$PWD/x.html" 2>/dev/null | grep -o "42$"' 42
	tool default "a database server" "${initdb:-initdb}" : "b=${initdb%/*}; "'$b/initdb -D data >/dev/null && $b/pg_ctl -D data -w -o "-k /tmp -h \"\"" -l log start >/dev/null && psql -h /tmp postgres -Atc "select 6 * 7" && $b/pg_ctl -D data stop >/dev/null 2>&1; psql -V >/dev/null' 42
fi
tool open-read "all of it reads" python3 ':' 'python3 -c "import json; print(json.dumps(1))" && ls ~ >/dev/null' 1
# Tools of the home as their managers leave them in PATH: behind a link of the session's own directory, and
# beside what a profile keeps.
project=$(new_project)
mkdir -p "$HOME/.local/share/fnm/v1/bin" "$work/run/fnm_multishells" "$HOME/.local/share/pnpm"
printf '#!/bin/sh\necho fnm\n' >"$HOME/.local/share/fnm/v1/bin/by-fnm"
printf '#!/bin/sh\necho pnpm; echo x >~/.local/share/pnpm/store/x\n' >"$HOME/.local/share/pnpm/pnpm"
chmod +x "$HOME/.local/share/fnm/v1/bin/by-fnm" "$HOME/.local/share/pnpm/pnpm"
ln -s "$HOME/.local/share/fnm/v1" "$work/run/fnm_multishells/1_2"
is "fnm's links of a session" fnm "$(cd "$project" && XDG_RUNTIME_DIR=$work/run PATH=$work/run/fnm_multishells/1_2/bin:$PATH "$SBX" run -- by-fnm 2>&1)"
is "a program beside its store" pnpm "$(cd "$project" && PATH=$HOME/.local/share/pnpm:$PATH "$SBX" run -p node -- pnpm 2>&1)"
is "whose files are the box's own" "pnpm" "$(ls "$HOME/.local/share/pnpm")"
kept node .npm
kept python .cache
kept rust .cargo/registry
kept go go/pkg
kept java .m2
kept c .ccache
kept ruby .local/share/gem
kept php .composer/cache
done_testing
