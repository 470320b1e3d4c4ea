#!/bin/bash
# Groups of destinations: what they are made of, whose files are believed; and real packages through
# the real registries that this machine reaches.
. "$(dirname "$0")/../lib.sh"
export HOME=$work/home XDG_STATE_HOME=$work/state
mkdir -p "$HOME" && chmod 755 "$HOME"
project=$(new_project)
cd "$project" || exit 1
list() { "$SBX" plan --json "$@" -- true 2>&1 | python3 -c 'import json,sys; print(*json.load(sys.stdin)["allow"] or ["nobody"])'; }

like "a group has its organisation's names" "$(list -a @npm)" '\*\.npmjs\.org'
like "an unknown one is an error that names the others" "$("$SBX" plan -a @nmp -- true 2>&1)" "no group '@nmp', expected one of @npm @pypi"
refused_as "which ends sbx" "no group '@nmp'" "$SBX" run -a @nmp -- true
for pair in node:npmjs python:pypi rust:crates go:golang java:maven ruby:rubygems php:packagist git:github; do
	like "profile ${pair%:*}" "$(list -p "${pair%:*}")" "${pair#*:}"
done
is "profile c reaches nobody" nobody "$(list -p c)"
like "each name has a reason in the plan" "$("$SBX" plan -a @npm -- true)" 'allow +\*\.npmjs\.org: packages'

printf 'registry=https://user:hunter22@mirror.example.com:8443/npm/\n@corp:registry=https://npm.corp.example/\n//npm.corp.example/:_authToken=secret-npm-token\n# registry=https://comment.example/\nother=https://other.example/\n' >"$HOME/.npmrc"
like "the user's mirror is known, port and all" "$(list -a @npm)" '^(mirror|\S+ mirror).*example.com:8443 '
like "and that of a scope" "$(list -a @npm)" 'npm\.corp\.example'
lacks "without password or token" "$("$SBX" plan -a @npm -- true)" 'hunter22|secret-npm-token'
lacks "not what stands in a comment or another line" "$(list -a @npm)" 'comment.example|other.example'
like "with the file as its reason" "$("$SBX" plan -a @npm -- true)" 'mirror.example.com:8443: this machine uses it: .*/\.npmrc'
printf 'registry=https://evil.example/\n' >"$project/.npmrc"
lacks "a project's own file is not believed" "$(list -a @npm)" 'evil'
chmod 666 "$HOME/.npmrc"
lacks "nor one that others can write" "$(list -a @npm)" 'mirror.example'
rm "$HOME/.npmrc" && mkfifo "$HOME/.npmrc"
lacks "nor a FIFO, for which nobody waits" "$(timeout 60 "$SBX" plan --json -a @npm -- true)" 'mirror.example'
rm "$HOME/.npmrc" && head -c 400000 /dev/zero | tr '\0' 'x' >"$HOME/.npmrc"
is "one that is too large to be read opens nothing public" nobody "$(list -a @npm)"
rm "$HOME/.npmrc"
mkdir -p "$HOME/.config/pip" "$HOME/.cargo" "$HOME/.config/go" "$HOME/.m2"
printf '[global]\nindex-url = https://pip.example.com/simple\nextra-index-url =\n  https://not-by-word.example/simple\n' >"$HOME/.config/pip/pip.conf"
like "pip.conf" "$(list -a @pypi)" 'pip\.example\.com'
printf '[source.mirror]\nregistry = "sparse+https://crates.example.com/index/"\n' >"$HOME/.cargo/config.toml"
like "cargo's" "$(list -a @crates)" 'crates\.example\.com'
printf 'GOPROXY=https://goproxy.example.com|https://second.example.com,direct\n' >"$HOME/.config/go/env"
like "go's, two in a line" "$(list -a @go)" 'goproxy\.example\.com second\.example\.com'
printf '<mirror><url>https://maven.example.com/m2</url></mirror>\n' >"$HOME/.m2/settings.xml"
like "maven's" "$(list -a @maven)" 'maven\.example\.com'
printf '<url>https://[2001:db8::5]:8081/</url><url>http://a_b.example/</url><url>http://</url>\n' >"$HOME/.m2/settings.xml"
like "literal addresses too, and no nonsense" "$(list -a @maven)" '^\[2001:db8::5\]:8081 '
lacks "a project's .sbx.ini opens nothing" "$(printf '[network]\nallow = evil.example\nprivate = yes\nhost-port = 22\n' >.sbx.ini; list 2>/dev/null)" evil
like "and is told" "$("$SBX" run -- true 2>&1)" "'allow = evil.example' loosens the box"
like "it may tighten" "$(printf '[network]\nmode = none\n' >.sbx.ini; "$SBX" plan -- true)" '^network +none'
rm .sbx.ini "$project/.npmrc"

# --- settings that send names elsewhere: the box sees them without what is secret, or the group opens nothing
# public. One row a format: group, file of the home, public host, what the box sees (no word: nothing), text;
# HOST is the company's, KEY is a secret.
formats='
@npm|.npmrc|*.npmjs.org|@corp:registry=https://HOST/npm/|@corp:registry=https://HOST/npm/\n//HOST/npm/:_authToken=KEY\n; registry=https://comment.example/\n
@npm|.npmrc|*.npmjs.org|registry=https://HOST/npm/|registry=https://me:KEY@HOST/npm/ # https://comment.example/\n
@npm|.yarnrc|*.yarnpkg.com|registry "https://HOST/npm/"|registry "https://HOST/npm/"\n"//HOST/npm/:_authToken" KEY\n
@npm|.yarnrc.yml|*.yarnpkg.com|npmRegistryServer: "https://HOST/npm/"|npmScopes:\n  corp:\n    npmRegistryServer: "https://HOST/npm/"\n    npmAuthToken: KEY\n# npmRegistryServer: https://comment.example/\n
@npm|.config/pnpm/rc|*.npmjs.org|registry=https://HOST/npm/|registry=https://HOST/npm/\n//HOST/npm/:_password=KEY\n
@npm|.bunfig.toml|*.npmjs.org|"@corp" = "https://HOST/npm/"|[install.scopes]\n"@corp" = "https://KEY@HOST/npm/"\n
@npm|.bunfig.toml|*.npmjs.org||[install.scopes]\n"@corp" = { url = "https://HOST/npm/", token = "KEY" }\n
@pypi|.config/pip/pip.conf|pypi.org|index-url = https://HOST/simple|[global]\nindex-url = https://me:KEY@HOST/simple\nlogin = KEY\n# url = https://comment.example/\n
@pypi|.pip/pip.conf|pypi.org|  https://HOST/simple|[global]\nextra-index-url =\n  https://me:KEY@HOST/simple\n
@pypi|.config/uv/uv.toml|pypi.org|url = "https://HOST/simple"|[[index]]\nname = "corp"\nurl = "https://HOST/simple"\n# url = "https://comment.example/"\npassword = "KEY"\n
@pypi|.config/pypoetry/config.toml|pypi.org|url = "https://HOST/simple"|[repositories.corp]\nurl = "https://HOST/simple"\n[http-basic.corp]\npassword = "KEY"\n
@crates|.cargo/config.toml|crates.io|index = "sparse+https://HOST/"|[registries.corp]\nindex = "sparse+https://HOST/" # https://comment.example/\ntoken = "KEY"\n
@crates|.cargo/config.toml|crates.io||# https://comment.example/\n[registries.corp]\nindex = "sparse+https://HOST/?token=KEY"\n
@go|.config/go/env|proxy.golang.org|GOPROXY=https://HOST|GOPROXY=https://me:KEY@HOST\nGOPRIVATE=HOST/*\n
@rubygems|.gemrc|rubygems.org|- https://HOST/|:sources:\n- https://me:KEY@HOST/\n:rubygems_api_key: KEY\n
@rubygems|.bundle/config|rubygems.org|BUNDLE_MIRROR|---\nBUNDLE_MIRROR__HTTPS://RUBYGEMS__ORG/: "https://HOST/"\nBUNDLE_HOST: "me:KEY"\n
@maven|.m2/settings.xml|*.maven.org||<settings><!-- <url>https://comment.example/</url> -->\n<server><password>KEY</password></server>\n<mirror><url>https://HOST/m2</url></mirror></settings>\n
@maven|.gradle/init.gradle|*.gradle.org||// https://comment.example/\nallprojects { repositories { maven { url "https://HOST/m2"; credentials { password "KEY" } } } }\n
@maven|.gradle/init.d/corp.gradle.kts|*.maven.org||/* https://comment.example/ */\nval url = "https://HOST/m2" // KEY\n
@packagist|.config/composer/config.json|packagist.org||{"repositories": [{"type": "composer", "url": "https://HOST/"}]}\n
'
while IFS='|' read -r group file public seen text; do
	[ "$group" ] || continue
	host=packages.corp.example key=Zq8hunter22
	text=${text//HOST/$host} seen=${seen//HOST/$host}
	mkdir -p "$HOME/$(dirname "$file")"
	printf '%b' "${text//KEY/$key}" >"$HOME/$file"
	hosts=" $(list -a "$group") " inside=$(run_box -a "$group" -- cat "$HOME/$file" 2>/dev/null)
	case $hosts in *" $host "*) pass "$file: its host is opened" ;; *) fail "$file: its host is opened" "$hosts" ;; esac
	lacks "$file: none of a comment" "${hosts// }" comment.example
	stays "$file: no secret is in the box" "" "$(grep -F "$key" <<<"$inside")"
	if [ "$seen" ]; then
		case $inside in *"$seen"*) pass "$file: the box knows where names are sent" ;; *) fail "$file: the box knows where names are sent" "$inside" ;; esac
		case $hosts in *" $public "*) pass "$file: and the public registry is open" ;; *) fail "$file: and the public registry is open" "$hosts" ;; esac
	else
		case $hosts in *" $public "* | "  ") fail "$file: the box does not see it, so nothing public is open" "$hosts" ;; *) pass "$file: the box does not see it, so nothing public is open" ;; esac
		like "$file: the plan says so, with the flag" "$("$SBX" plan -a "$group" -- true)" "note .*$file' names another registry, .*: --read '.*$file'"
		hosts=" $(list -a "$group" --read "$HOME/$file") "
		case $hosts in *" $public "*) pass "$file: with that flag it is open" ;; *) fail "$file: with that flag it is open" "$hosts" ;; esac
	fi
	hosts=" $(list -a "$group" --hide "$HOME/$file") "
	case $hosts in *" $public "* | "  ") fail "$file: hidden by a line, nothing public is open" "$hosts" ;; *) pass "$file: hidden by a line, nothing public is open" ;; esac
	rm "$HOME/$file"
	hosts=" $(list -a "$group") "
	case $hosts in *" $public "*) pass "$file: without it the public registry is open" ;; *) fail "$file: without it the public registry is open" "$hosts" ;; esac
done <<<"$formats"
printf 'registry=https://packages.corp.example/\n' >"$work/rc"
for each in 'PIP_INDEX_URL=https://me:Zq8hunter22@packages.corp.example/simple @pypi pypi.org' 'UV_DEFAULT_INDEX=https://me:Zq8hunter22@packages.corp.example/simple @pypi pypi.org' \
	'NPM_CONFIG_REGISTRY=https://me:Zq8hunter22@packages.corp.example/ @npm *.npmjs.org' 'GOPROXY=https://me:Zq8hunter22@packages.corp.example @go proxy.golang.org'; do
	read -r variable group public <<<"$each"
	name=${variable%%=*}
	is "$name passes without user and password" "${variable/me:Zq8hunter22@/}" "$(env "$variable" "$SBX" run -- sh -c "env | grep ^$name=")"
	is "$name: both hosts are open" "packages.corp.example $public" "$(env "$variable" "$SBX" plan --json -a "$group" -- true | python3 -c 'import json,sys; print(*[a for a in json.load(sys.stdin)["allow"] if a in sys.argv[1:]])' packages.corp.example "$public")"
	is "$name: left out, nothing public is open" "packages.corp.example" "$(env "$variable" "$SBX" plan --json -a "$group" --unset-env "$name" -- true | python3 -c 'import json,sys; print(*[a for a in json.load(sys.stdin)["allow"] if a in sys.argv[1:]])' packages.corp.example "$public")"
done
mkdir -p "$HOME/.m2"
printf '<mirror><url>https://packages.corp.example/m2</url></mirror>\n' >"$HOME/.m2/settings.xml"
like "what is refused then names the file, and never the public registry" \
	"$("$SBX" run -p java -- python3 -c 'import socket; socket.create_connection(("repo.maven.org", 443), 5)' 2>&1 | grep ^sbx:)" \
	"^sbx: blocked repo.maven.org:443.*settings.xml' names another registry, which the box does not see; to allow: --read .*settings.xml$"
like "as sbx why does" "$("$SBX" why -p java repo.maven.org)" "--read .*settings.xml"
rm -r "$HOME/.m2"

# --- real packages, where the host itself reaches them
if command -v npm >/dev/null && (mkdir "$work/out" && cd "$work/out" && timeout 60 npm pack --silent inherits@2.0.1) >"$work/log" 2>&1; then
	registry=$(npm config get registry)
	host=$(printf '%s' "$registry" | sed 's|^[a-z]*://||; s|/.*||')
	printf '{"name":"t","version":"1.0.0","dependencies":{"inherits":"2.0.1"}}\n' >package.json
	printf '{"name":"t","version":"1.0.0","lockfileVersion":3,"requires":true,"packages":{"":{"name":"t","version":"1.0.0","dependencies":{"inherits":"2.0.1"}},"node_modules/inherits":{"version":"2.0.1"}}}\n' >package-lock.json
	begin=(-p node -a "$host" --private-network yes --env "NPM_CONFIG_REGISTRY=$registry" --env NPM_CONFIG_FETCH_RETRIES=0 --env NPM_CONFIG_PACKAGE_LOCK=true)
	timeout 120 "$SBX" run "${begin[@]}" -- npm ci --no-audit >"$work/log" 2>&1
	is "npm ci of a real package" yes "$([ -f node_modules/inherits/package.json ] && echo yes || cat "$work/log")"
	rm -rf node_modules
	timeout 120 "$SBX" run -p node --deny "$host" --env "NPM_CONFIG_REGISTRY=$registry" --env NPM_CONFIG_FETCH_RETRIES=0 --env NPM_CONFIG_CACHE=/tmp/empty -- npm ci --no-audit >"$work/log" 2>&1
	is "denied, it fails" no "$([ -f node_modules/inherits/package.json ] && echo yes || echo no)"
	like "and is told" "$(cat "$work/log")" 'sbx: blocked'
else
	skip "npm ci" "npm's registry cannot be reached from here"
fi
mkdir -p "$work/apt/state/lists/partial" "$work/apt/cache/archives/partial"
if timeout 100 apt-get -q -o Dir::State="$work/apt/state" -o Dir::Cache="$work/apt/cache" -o APT::Sandbox::User="" -o APT::Update::Error-Mode=any update >"$work/log" 2>&1; then
	chmod -R a+rX "$work/apt"
	is "apt-get update and download" yes "$(timeout 200 "$SBX" run -a @os-packages --private-network yes --tmp-size 4G -- bash -c '
		mkdir -p /tmp/state/lists/partial /tmp/cache/archives/partial
		options="-q -o Dir::State=/tmp/state -o Dir::Cache=/tmp/cache -o APT::Sandbox::User= -o Dir::State::status=/var/lib/dpkg/status -o APT::Update::Error-Mode=any"
		apt-get $options update >/tmp/log 2>&1 && cd /tmp && apt-get $options download hello >/tmp/log 2>&1 && ls hello_*.deb >/dev/null && echo yes || cat /tmp/log' 2>&1)"
	like "without the group it fails, told" "$(timeout 100 "$SBX" run --tmp-size 4G -- bash -c '
		mkdir -p /tmp/state/lists/partial /tmp/cache/archives/partial
		apt-get -q -o Dir::State=/tmp/state -o Dir::Cache=/tmp/cache -o APT::Sandbox::User= -o Acquire::Retries=0 -o APT::Update::Error-Mode=any update; echo status $?' 2>&1)" 'sbx: blocked'
else
	skip "apt-get" "this machine's own sources cannot be reached"
fi
is "profile groups: of one" "@crates 1" "$("$SBX" profile groups @crates | grep -o '^@[a-z]*') $("$SBX" profile groups @crates | grep -c '\*.crates.io: ')"
like "profile groups: of none" "$("$SBX" profile groups crates 2>&1)" "^sbx: no group 'crates'; see: sbx profile groups\$"
done_testing
