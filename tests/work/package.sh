#!/bin/bash
# The Debian package: it builds from a copy of the tree, lintian has nothing to say, and what is in
# it works from where it lies.
. "$(dirname "$0")/../lib.sh"
root=$(cd "$(dirname "$0")/../.." && pwd)
for need in dpkg-buildpackage dh lintian; do
	if ! command -v $need >/dev/null; then
		skip "the Debian package" "$need is not installed"
		done_testing
	fi
done
export HOME=$work/home XDG_STATE_HOME=$work/state CCACHE_DISABLE=1
mkdir -p "$HOME" "$work/tree/sbx" "$work/root"
(cd "$root" && tar cf - --exclude='./build*' --exclude=./.git .) | tar xf - -C "$work/tree/sbx" --no-same-owner
cd "$work/tree/sbx" || exit 1
if dpkg-buildpackage -us -uc -b >"$work/log" 2>&1; then pass "it builds"; else fail "it builds" "$(tail -20 "$work/log")"; fi
is "lintian has nothing to say" "" "$(lintian --fail-on none "$work"/tree/*.changes 2>&1 | grep -v '^N:\|running with root')"
dpkg-deb -x "$work"/tree/sbx_*.deb "$work/root"
is "what people look for is in it" "" "$(for file in usr/bin/sbx usr/bin/sbx-shell usr/share/man/man1/{sbx,sbx-shell,sbx-session,sbx-exec}.1.gz \
	usr/share/man/man5/sbx.ini.5.gz usr/share/man/man7/{sbx,sbx-containers,sbx-limits,sbx-recipes}.7.gz usr/share/bash-completion/completions/sbx \
	usr/share/zsh/vendor-completions/_sbx usr/share/fish/vendor_completions.d/sbx.fish usr/share/doc/sbx/README.md.gz; do
	[ -e "$work/root/$file" ] || echo "$file"
done)"
cd "$(new_project)" || exit 1
is "it runs" "1" "$("$work/root/usr/bin/sbx" run -- sh -c 'echo $SBX')"
is "so does sbx-shell" "1" "$("$work/root/usr/bin/sbx-shell" 'echo $SBX')"
is "setuid nowhere" "1 " "$(ls "$work/root/usr/bin/sbx" | wc -l) $(find "$work/root" -perm /6000)"
done_testing
