#!/bin/bash
# Roots that lack what a Debian has: no libc, and each of them one thing more. Needs root, to enter them.
. "$(dirname "$0")/../lib.sh"
here=$(cd "$(dirname "$0")" && pwd)
[ "$(id -u)" = 0 ] || { echo "1..0 # SKIP only root enters another root"; exit 0; }
${CC:-cc} -D_GNU_SOURCE -static -O1 -o "$work/bare" "$here/bare.c" || exit 1
SBX=$(command -v "$SBX")
if ldd "$SBX" 2>/dev/null | grep -q '=>'; then
	echo "1..0 # SKIP $SBX is not static: meson setup -Dstatic=true"
	exit 0
fi

# A root with nothing but sbx and one program, an /etc, and homes and a project of each user.
new_root() {
	root=$(fresh root)
	mkdir -p "$root"/{bin,proc,dev,etc,tmp,root,home/dev,src/thing,src/own}
	cp "$SBX" "$root/bin/sbx" && cp "$work/bare" "$root/bin/bare"
	echo '127.0.0.1 localhost' >"$root/etc/hosts"
	echo 'nameserver 127.0.0.1' >"$root/etc/resolv.conf"
	printf '%s\n' root:x:0:0::/root:/bin/sh dev:x:1000:1000::/home/dev:/bin/sh >"$root/etc/passwd"
	chmod 1777 "$root/tmp"
	chown -R 1000:1000 "$root/home/dev" "$root/src/own"
}

# What a user of this uid gives: $variables for sbx, and ${at} as the directory.
as() { # uid, words of sbx...
	local uid=$1 home=(HOME=/root) place=/src/thing
	shift
	[ "$uid" = 0 ] || home=(HOME=/home/dev) place=/src/own
	[ "${variables[*]}" != unset ] || home=()
	env -i PATH=/bin "${home[@]}" "${variables[@]/#unset/NONE=1}" "$work/bare" enter "$root" "$uid" "${at:-$place}" /bin/sbx "$@" 2>&1
}
variables=() at=

# The one word that may come: without a home nothing is kept for the case that the run is killed.
but_for_state() { grep -v '^sbx: the state directory cannot be written (Permission denied): '; }
works() { # name: a run and a change of the project, without a word, as root and as a user
	local uid place
	for uid in 1000 0; do # root would make what is missing above the state's directory
		place=/src/thing
		[ $uid = 0 ] || place=/src/own
		is "$1: a run works without a word (uid $uid)" 0 "$({ as $uid run -- /bin/bare true; echo $?; } | but_for_state)"
		is "$1: and writes the project (uid $uid)" "0 $uid" \
			"$({ as $uid run -- /bin/bare write file; echo $?; } | but_for_state) $(stat -c %u "$root$place/file" 2>&1)"
		is "$1: and sees no stray file in / (uid $uid)" "" "$(as $uid run -- /bin/bare list / | grep '^\.')"
		rm -f "$root$place/file"
	done
}

new_root
works "bare root"

new_root; rm "${root:?}/etc/hosts"
works "no /etc/hosts"
like "no /etc/hosts: the plan says so" "$(as 1000 plan -- /bin/bare true)" "no own '/etc/hosts': it does not exist"
like "no /etc/hosts: nothing is created" "$(find "$root/etc" -name hosts | wc -l)" '^0$'
ln -s ../run/gone/hosts "$root/etc/hosts"
works "/etc/hosts leads nowhere"
new_root; rm "${root:?}/etc/resolv.conf"
works "no /etc/resolv.conf"
ln -s ../run/gone/resolv.conf "$root/etc/resolv.conf"
works "/etc/resolv.conf leads nowhere"
new_root; rm "${root:?}/etc/passwd"
works "no /etc/passwd"
new_root; rm -r "${root:?}/etc"
works "no /etc"
new_root; rm -r "${root:?}/home" "${root:?}/root"
works "no /home"

for home in / /nowhere ""; do
	new_root
	variables=(HOME="$home")
	works "HOME='$home'"
done
new_root
variables=(unset)
works "HOME unset"
rm "${root:?}/etc/passwd"
works "HOME unset, no /etc/passwd"
new_root; rm "${root:?}/etc/passwd"
variables=(HOME=/)
like "no home to write to: a session names the variable that helps" "$(as 1000 session create try)" \
	"make .*Permission denied; set XDG_STATE_HOME"
variables=(HOME=/ XDG_STATE_HOME=/tmp/state)
is "no home to write to: with that variable it works" 0 "$(as 1000 session create try >&2; echo $?)"
variables=()
new_root; mkdir -p "$root/home/dev/.local/state/sbx"
chmod 700 "$root/home/dev/.local/state"
like "the state's directory is out of reach: what to do" "$(as 1000 run -- /bin/bare true)" "'/home/dev/.local/state/sbx'.*Permission denied; .*XDG_STATE_HOME"
chmod 755 "$root/home/dev/.local/state"
like "the state is another's: whose, and what to do" "$(as 1000 run -- /bin/bare true)" "'/home/dev/.local/state/sbx'.*belongs to uid 0; .*XDG_STATE_HOME"

# The home is the project, as in images of containers: only by saying so, and then with what the
# caller's programs read there at start, sbx's own files and the secrets out of reach.
new_root
home_root() { # uid, HOME
	local uid=$1 home=$root$2
	mkdir -p "$home"/{.ssh,.config/tool,dots} "$root/state" "$root/conf/sbx"
	echo secret >"$home/.ssh/id"
	echo first | tee "$home/.profile" "$home/dots/bashrc" "$home/dots/gitconfig" >"$home/.config/tool/rc"
	ln -s dots/link "$home/.bashrc"
	ln -s bashrc "$home/dots/link"
	ln -s dots/gitconfig "$home/.gitconfig"
	chown -Rh "$uid:$uid" "$home" "$root/state" "$root/conf"
	variables=(HOME="$2")
}
for uid in 1000 0; do
	home=/src/thing
	[ $uid = 0 ] || home=/src/own
	home_root $uid $home
	like "home is project: refused, and the message names the flag (uid $uid)" "$(as $uid run -- /bin/bare true; echo $?)" \
		"is your home directory and cannot be the project; .*--project-dir \.$"
	like "home is project: not before sbx's own directories are there (uid $uid)" "$(as $uid run --project-dir . -- /bin/bare true)" \
		"could make sbx's own '$home/.config/sbx': make that directory first, to be read by you, or set XDG_CONFIG_HOME"
	variables+=(XDG_CONFIG_HOME=/conf)
	like "home is project: nor state (uid $uid)" "$(as $uid run --project-dir . -- /bin/bare true)" \
		"could make sbx's own '$home/.local/state/sbx': .*XDG_STATE_HOME"
	mkdir -p "$root$home/.local/state/sbx"
	ln -s ../dots "$root$home/.config/sbx"
	chown -Rh $uid:$uid "$root$home/.local" "$root$home/.config"
	is "home is project: with them it is accepted (uid $uid)" 0 "$(as $uid run --project-dir . -- /bin/bare write made; echo $?)"
	is "home is project: and written (uid $uid)" $uid "$(stat -c %u "$root$home/made")"
	variables=("HOME=$home")
	like "home is project: sbx's configuration behind a link is refused (uid $uid)" "$(as $uid run --project-dir . -- /bin/bare true)" \
		"could make sbx's own '$home/.config/sbx'"
	rm "$root$home/.config/sbx"
	mkdir "$root$home/.config/sbx"
	chown $uid:$uid "$root$home/.config/sbx"
	for name in .profile .bashrc .gitconfig dots/link dots/bashrc dots/gitconfig .config/tool/rc .config/new .config/sbx/default.ini .local/state/sbx/trust .local/bin; do
		like "home is project: $name cannot be written (uid $uid)" "$(as $uid run --project-dir . -- /bin/bare write $name)" "^$name: (Read-only file system|Permission denied)"
	done
	like "home is project: a secret cannot be read (uid $uid)" "$(as $uid run --project-dir . -- /bin/bare read .ssh/id)" "Permission denied|No such file"
	for name in .zshrc .vim .password-store .nvm .npm bin; do
		like "home is project: a new $name is moved away (uid $uid)" "$(as $uid run --project-dir . -- /bin/bare make $name)" "$home/$name appeared.*moved to quarantine"
		is "home is project: and is gone (uid $uid)" 1 "$([ -e "$root$home/$name" ]; echo $?)"
	done
	for name in .config/sbx .local/state/sbx; do
		like "home is project: $name cannot be moved away (uid $uid)" "$(as $uid run --project-dir . -- /bin/bare move $name gone)" \
			"^$name: (Device or resource busy|Invalid cross-device link)"
	done
	chown 0:0 "$root$home/.config/sbx"
	chmod 700 "$root$home/.config/sbx"
	[ $uid = 0 ] || like "home is project: a configuration that the caller cannot read is refused" "$(as $uid run --project-dir . -- /bin/bare true)" \
		"could make sbx's own '$home/.config/sbx'"
	chown $uid:$uid "$root$home/.config/sbx"
	like "home is project: the plan says what is weaker (uid $uid)" "$(as $uid plan --project-dir . -- /bin/bare true)" "note .*the project is your home directory: .*other files are not"
	like "home is project: not unprotected (uid $uid)" "$(as $uid run --project-dir . --no-protect -- /bin/bare true)" "home directory, which --no-protect would leave"
	like "home is project: not in tier landlock (uid $uid)" "$(as $uid run --project-dir . --isolation landlock -- /bin/bare true)" "tier landlock cannot protect"
	like "home is project: no session of it (uid $uid)" "$(as $uid session create try)" "cannot be the project of a session|the current directory cannot"
	like "home is project: no review of it (uid $uid)" "$(as $uid run --review --project-dir . -- /bin/bare true)" "without --project-dir"
	mkdir -p "$root$home/below/deep"
	chown -R $uid:$uid "$root$home/below"
	is "--project-dir names another directory than git or the current one (uid $uid)" "deep" "$(as $uid run --project-dir below -- /bin/bare list .)"
	like "its own file cannot say so (uid $uid)" "$(printf '[files]\nproject-dir = .\n' >"$root$home/below/.sbx.ini"; at=$home/below as $uid run -- /bin/bare true)" "project-dir"
	variables=()
done
done_testing
