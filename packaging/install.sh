#!/bin/sh
# Installs sbx from a release's tarball, or removes it. Needs no root: the place is ~/.local, or --prefix DIR.
#   install.sh [--prefix DIR] sbx-VERSION-MACHINE-linux.tar.gz     its .sha256 lies beside it
#   install.sh [--prefix DIR]                                      from the unpacked tarball
#   install.sh [--prefix DIR] --uninstall
set -eu
say() { printf 'install.sh: %s\n' "$1" >&2; exit 1; }
prefix=${HOME:?}/.local archive='' remove=
while [ $# -gt 0 ]; do
	case $1 in
	--prefix) prefix=${2:?install.sh: --prefix needs a directory}; shift ;;
	--prefix=*) prefix=${1#*=} ;;
	--uninstall) remove=1 ;;
	-*) say "unknown option '$1'" ;;
	*) archive=$1 ;;
	esac
	shift
done
list=$prefix/share/sbx/files
if [ -n "$remove" ]; then
	[ -f "$list" ] || say "'$list' does not exist: nothing was installed to '$prefix' by this script"
	while IFS= read -r name; do rm -f "$prefix/$name"; done <"$list"
	rm -f "$list"
	rmdir "$prefix/share/sbx/apparmor" "$prefix/share/sbx" "$prefix/share/doc/sbx" 2>/dev/null || :
	exit 0
fi
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
if [ -n "$archive" ]; then
	[ -f "$archive" ] || say "'$archive' does not exist"
	[ -f "$archive.sha256" ] || say "'$archive.sha256' does not exist: the sum cannot be checked, and nothing was installed"
	want=$(cut -d' ' -f1 <"$archive.sha256") have=$(sha256sum <"$archive" | cut -d' ' -f1)
	[ "$want" = "$have" ] || say "'$archive' has another sum than '$archive.sha256': load it again; nothing was installed"
	tar -xzf "$archive" -C "$work" || say "'$archive' cannot be unpacked; nothing was installed"
	from=$(echo "$work"/sbx-*)
else
	from=$(cd "$(dirname "$0")" && pwd)
fi
[ -f "$from/bin/sbx" ] || say "'$from' has no bin/sbx"
"$from/bin/sbx" --version >"$work/version" 2>&1 || say "'$from/bin/sbx' does not run here ($(uname -m)): take the tarball of this machine; nothing was installed"
mkdir -p "$prefix/share/sbx" 2>/dev/null && [ -w "$prefix/share/sbx" ] || say "'$prefix' cannot be written: choose a place with --prefix DIR"
if [ -x "$prefix/bin/sbx" ]; then
	old=$("$prefix/bin/sbx" --version 2>/dev/null | sed 's/^sbx //') new=$(sed 's/^sbx //' "$work/version")
	newest=$(printf '%s\n%s\n' "$old" "$new" | sort -V | tail -n 1)
	[ "$newest" = "$new" ] || say "sbx $old is in '$prefix', and $new is older: remove it first, with --uninstall"
fi
(cd "$from" && find . \( -type f -o -type l \) ! -path ./install.sh | sed 's|^\./||' | LC_ALL=C sort) >"$work/files"
while IFS= read -r name; do # each file by one rename: a run that starts meanwhile finds the old one or the new one
	mkdir -p "$prefix/$(dirname "$name")"
	cp -P "$from/$name" "$prefix/$name.new~" && mv -f "$prefix/$name.new~" "$prefix/$name" || say "'$prefix/$name' cannot be written"
done <"$work/files"
cp "$work/files" "$list"
cat "$work/version"
case :$PATH: in *":$prefix/bin:"*) ;; *) echo "'$prefix/bin' is not on PATH: add it in your shell's settings" ;; esac
