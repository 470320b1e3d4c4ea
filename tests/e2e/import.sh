#!/bin/bash
# sbx profile import: the settings of other sandboxes become a profile that is good, and comments.
. "$(dirname "$0")/../lib.sh"
project=$(new_project)
cd "$project" || exit 1

import() { # name, program, file: the profile is good, and is in $work/got.ini
	if "$SBX" profile import "$2" "$3" >"$work/got.ini" 2>"$work/err" &&
		"$SBX" profile check "$work/got.ini" >"$work/check" 2>&1; then
		pass "$1: a good profile"
	else
		fail "$1: a good profile" "$(cat "$work/err" "$work/check" "$work/got.ini")"
	fi
}
lines() { grep -v '^;' "$work/got.ini" | grep -E '^(project|read|write|hide|protect|socket|allow|deny|mode) ' | paste -sd'|'; }
notes() { grep '^;' "$work/got.ini"; }

cat >"$work/srt.json" <<'EOF'
{
  "network": {
    "allowedDomains": ["github.com", "*.npmjs.org", "@npm", "10.0.0.0/8", "a b", "x\ny.com", "x.com ;c"],
    "deniedDomains": ["evil.example"],
    "allowUnixSockets": ["/run/one.sock"],
    "allowLocalBinding": true
  },
  "filesystem": {
    "denyRead": ["~/.ssh", "**/.env"],
    "allowWrite": [".", "src/", "/tmp", "/", "/a/../b", "$HOME/x", "/x ;y", "/a\nwrite = /etc", 7],
    "denyWrite": [".git/hooks"]
  },
  "enableWeakerNestedSandbox": true
}
EOF
import srt srt "$work/srt.json"
is "srt: the lines" "project = write|hide = ?~/.ssh|hide = **/.env|write = ?./src|protect = ?./.git/hooks|allow = github.com|allow = *.npmjs.org|deny = evil.example|socket = ?/run/one.sock" \
	"$(lines | sed 's/|socket = [^|]*//')|$(grep '^socket' "$work/got.ini")"
for said in '@npm: no host' '10.0.0.0/8: no host' 'a b: not valid' 'allowLocalBinding: not needed' '/tmp: not needed' '/: not taken' \
	'/a/../b: not taken' '\$HOME/x: not taken' '/x ;y: not valid' 'x.com ;c: not valid' 'enableWeakerNestedSandbox: not taken' 'x\^Jy.com: not valid' 'allowWrite: not taken'; do
	like "srt: as a comment: $said" "$(notes)" "^; $said"
done
is "srt: no line of a value's own" 0 "$(grep -c '^write = /etc' "$work/got.ini")"
echo secret >.env
is "srt: the profile hides" "" "$("$SBX" run -p "$work/got.ini" -- cat .env 2>/dev/null)"
is "srt: and the project is writable" 0 "$("$SBX" run -p "$work/got.ini" -- touch new >/dev/null 2>&1; echo $?)"
echo '{"filesystem": {"allowWrite": []}}' >"$work/srt.json"
import "srt without a writable place" srt "$work/srt.json"
is "srt: the project is not writable" 1 "$("$SBX" run -p "$work/got.ini" -- touch newer >/dev/null 2>&1; echo $?)"

cat >"$work/claude.json" <<'EOF'
{
  "model": "x",
  "sandbox": {
    "enabled": true,
    "network": { "allowedDomains": ["pypi.org"] },
    "filesystem": { "allowWrite": ["/srv/build"] }
  },
  "permissions": {
    "allow": ["Read(~/docs/**)", "Edit(//srv/out)", "Edit(/lib/**)", "WebFetch(domain:docs.example)", "Bash(ls:*)", "Edit(*.ts)"],
    "deny": ["Read(.env)", "Read(./secrets/**)", "Edit(/Makefile)", "WebFetch(domain:evil.example)"],
    "ask": ["Read(~/x)"],
    "additionalDirectories": ["../other", "~/more"]
  }
}
EOF
import claude claude "$work/claude.json"
is "claude: the lines" "write = ?/srv/build|read = ?~/docs|write = ?/srv/out|write = ?./lib|hide = **/.env|hide = ?./secrets|protect = ?./Makefile|write = ?~/more|allow = pypi.org|allow = docs.example|deny = evil.example" "$(lines)"
for said in 'model: ' 'enabled: ' 'Bash\(ls:\*\): ' '\*\.ts: not taken' 'Read\(~/x\): ' '\.\./other: not taken'; do
	like "claude: as a comment: $said" "$(notes)" "^; $said"
done

# The user's own settings begin at ~/.claude; /x is absolute in the sandbox' lists, and //x everywhere.
export HOME=$work/home
mkdir -p "$HOME/.claude" .claude
cat >.claude/settings.json <<'EOF'
{
  "sandbox": { "filesystem": { "allowWrite": ["//srv/a", "/srv/b", "./c", "d", "."], "denyRead": ["~/e"] } },
  "permissions": { "allow": ["Edit(/src/**)"], "deny": ["Read(/keys)", "Read(//etc/x)", "Edit(./f/g)", "Read(h/i)"] }
}
EOF
cp .claude/settings.json "$HOME/.claude/"
ln -s "$HOME/.claude" settings
import "claude, a project's" claude .claude/settings.json
is "claude: a project's paths" "project = write|write = ?/srv/a|write = ?/srv/b|write = ?./c|write = ?./d|hide = ?~/e|write = ?./src|hide = ?./keys|hide = ?/etc/x|protect = ?./f/g|hide = ?./h/i" "$(lines)"
for from in "$HOME/.claude/settings.json" settings/settings.json; do
	import "claude, the user's: ${from##"$work/"}" claude "$from"
	is "claude: the user's paths" "project = write|write = ?/srv/a|write = ?/srv/b|write = ?~/.claude/c|write = ?~/.claude/d|hide = ?~/e|write = ?~/.claude/src|hide = ?~/.claude/keys|hide = ?/etc/x|protect = ?./f/g|hide = ?./h/i" "$(lines)"
done

cat >"$work/config.toml" <<'EOF'
model = "o" # a comment
notify = ["a", 'b']
text = """
[sandbox_workspace_write]
writable_roots = ["/etc"]
"""
sandbox_mode = "workspace-write"
[sandbox_workspace_write]
writable_roots = [
	"/srv/one", # the first
	'/srv/tw o',
	"/srv/\u0074hree",
	"/srv/\n",
]
network_access = true
exclude_slash_tmp = true
[profiles."a.b"]
sandbox_mode = "danger-full-access"
EOF
import codex codex "$work/config.toml"
is "codex: the lines" "project = write|write = ?/srv/one|write = ?/srv/tw o|write = ?/srv/three" "$(lines)"
for said in 'model: ' 'text: ' 'network_access = true: not taken' '/srv/\^J: not valid' 'profiles.a.b.sandbox_mode: '; do
	like "codex: as a comment: $said" "$(notes)" "^; $said"
done
printf '[network]\nallow = *\n' >>"$work/got.ini"
is "codex: the network as the comment says" "allow = *" "$("$SBX" profile show --resolved "$work/got.ini" | grep -o '^allow = [*]')"
echo 'sandbox_workspace_write = { writable_roots = ["/srv/x"] }' >"$work/config.toml"
import "codex, an inline table" codex "$work/config.toml"
is "codex: an inline table, and not writable without sandbox_mode" "project = read|write = ?/srv/x" "$(lines)"

refused() { # name, program, text, expected
	printf '%s' "$3" >"$work/bad"
	is "refused: $1" "125 0" "$("$SBX" profile import "$2" "$work/bad" >"$work/got" 2>"$work/err"; echo $?) $(wc -c <"$work/got")"
	like "refused with a reason: $1" "$(cat "$work/err")" "^sbx: .*$4"
}
refused "no JSON" srt '{"a": ' '/bad: line 1: a value is expected'
refused "a list" claude '[]' 'not a JSON object'
refused "no TOML" codex $'a = 1\nb = [' 'line 2 is not read as TOML'
refused "two modes" codex $'sandbox_mode = "read-only"\nsandbox_mode = "workspace-write"' 'twice'
refused "deep" codex "a = $(printf '[%.0s' {1..99})" 'line 1'
refused "many values" srt "{\"network\": {\"allowedDomains\": [$(printf '"a.b",%.0s' {1..2500})\"c.d\"]}}" 'more than 2000 values'
refused "large" srt "$(head -c 300000 /dev/zero | tr '\0' ' ')" 'large'
status "an unknown program" 125 "$SBX" profile import docker "$work/bad"
status "no file" 125 "$SBX" profile import srt "$work/none"
done_testing
