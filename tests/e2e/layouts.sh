#!/bin/bash
# Machines that are laid out otherwise than Debian: each is a root made by mounts, and some ten commands run in it. What
# cannot work says which layer is missing, and what helps in that place. Needs root, to enter them.
. "$(dirname "$0")/../lib.sh"
here=$(cd "$(dirname "$0")" && pwd)
[ "$(id -u)" = 0 ] || { echo "1..0 # SKIP only root enters another root"; exit 0; }
busybox=$(command -v busybox)
if [ -z "$busybox" ] || readelf -l "$busybox" "$(command -v "$SBX")" | grep -q INTERP; then
	echo "1..0 # SKIP sbx or busybox is not static: meson setup -Dstatic=true, tests/setup all"
	exit 0
fi
${CC:-cc} -D_GNU_SOURCE -static -O1 -o "$work/bare" "$here/bare.c" || exit 1

# A root with busybox and sbx, a home with a secret, and a project, all of this uid's.
new_root() { # uid
	uid=$1 root=$(fresh root) home=/home/dev place=/src/own program=/usr/local/bin/sbx path=/usr/local/bin:/usr/bin:/bin mounts=: variables=()
	mkdir -p "$root"/{bin,proc,dev,etc,tmp,run,usr/bin,usr/local/bin,home/dev/.ssh,src/own,data}
	cp "$busybox" "$root/bin/busybox"
	for each in sh cat touch ls id wget sed stat env sleep seq true; do ln -s busybox "$root/bin/$each"; done
	cp "$SBX" "$root/usr/local/bin/sbx"
	echo '127.0.0.1 localhost' >"$root/etc/hosts"
	echo 'nameserver 127.0.0.1' >"$root/etc/resolv.conf"
	printf '%s\n' root:x:0:0::/root:/bin/sh "dev:x:1000:1000::/home/dev:/bin/sh" >"$root/etc/passwd"
	printf 'root:x:0:\ndev:x:1000:\n' >"$root/etc/group"
	echo secret >"$root/home/dev/.ssh/id" && printf '#!/usr/bin/env sh\necho script\n' >"$root/src/own/script"
	ln -s /bin/env "$root/usr/bin/env"
	chmod 1777 "$root/tmp" && chmod +x "$root/src/own/script"
	chown -hR "$uid:$uid" "$root/home/dev" "$root/src/own"
}

# The layout is mounted, entered, and a program of it run as that uid.
in_root() { # program, words...
	unshare --mount --propagation private bash -c 'root=$1 mounts=$2 && shift 2 && mount --bind "$root" "$root" && cd "$root" &&
		mount -t proc proc proc && mount --rbind /dev dev && eval "$mounts" && exec "$@"' - "$root" "$mounts" \
		env -i PATH="$path" HOME="$home" "${variables[@]}" "$work/bare" leave "$root" "$uid" "$place" "$@" 2>&1
}
sbx() { in_root $program "$@"; }

works() { # name: ten commands
	is "$1: a run, without a word" 0 "$(sbx run -- true; echo $?)"
	is "$1: a command's status" 7 "$(sbx run -- sh -c 'exit 7'; echo $?)"
	is "$1: no such command" 127 "$(sbx run -- no-such-command >/dev/null; echo $?)"
	is "$1: a script by its first line" script "$(sbx run -- ./script)"
	is "$1: the project is written" "$uid" "$(sbx run -- sh -c 'echo x >made' && stat -c %u "$root$(readlink -m "/$place")/made" 2>&1)"
	is "$1: a secret of the home is not read" "ran" "$(sbx run -- sh -c 'cat ~/.ssh/id 2>/dev/null; echo ran')"
	like "$1: a host that is not allowed" "$(sbx run -- busybox nc -w 20 192.0.2.1 80 </dev/null)" 'blocked 192.0.2.1:80'
	is "$1: no network" "lo" "$(sbx run --network none -- sed -n 's/^ *\([a-z0-9]*\):.*/\1/p' /proc/net/dev | xargs)"
	is "$1: a session" "in the session" "$(sbx session create one >&2; sbx run -s one -- sh -c 'echo in the session >two'; sbx run -s one -- cat two; sbx session rm one >/dev/null)"
	is "$1: doctor agrees" 0 "$(sbx doctor >"$work/doctor"; echo $?)"
	is "$1: and finds sessions" 1 "$(grep -cE '^ok +sessions' "$work/doctor")"
	is "$1: in the background" 3 "$(run=$(sbx run -d -- sh -c 'exit 3'); sbx wait "$run"; echo $?)"
}
refuses() { # name, words...: each is in what is said, of the run and of doctor
	local said each name=$1
	shift
	said=$(sbx run -- touch ran; echo "status $?")
	like "$name: refused" "$said" '^status 125$'
	is "$name: and not run" no "$([ -e "$root/src/own/ran" ] && echo yes || echo no)"
	for each; do like "$name: it says $each" "$said" "$each"; done
	is "$name: doctor says so, too" 125 "$(sbx doctor >"$work/doctor"; echo $?)"
}
debian() { # Debian's programs in the root
	rm -r "${root:?}"/bin "${root:?}"/usr && mkdir -p "$root/usr" "$root/opt" && cp "$SBX" "$root/opt/sbx"
	mounts='mount --bind /usr usr' program=/opt/sbx
}

new_root 1000
works "bare"
new_root 1000; rm "$root/etc/hosts"
works "no /etc/hosts"

# --- where programs are
new_root 1000
rm -r "${root:?}/bin" "${root:?}/usr/local/bin"
system=/nix/store/0a1b2c-system
mkdir -p "$root$system/sw/bin" "$root$system/etc" "$root/bin" "$root/run" "$root/usr/local/bin" "$root/etc/static"
cp "$busybox" "$root$system/sw/bin/busybox" && cp "$SBX" "$root/usr/local/bin/sbx"
for each in sh cat touch ls id wget sed stat env sleep seq true; do ln -s busybox "$root$system/sw/bin/$each"; done
rmdir "$root/etc/static" && mv "$root"/etc/{hosts,passwd,group,resolv.conf} "$root$system/etc/" && ln -s $system/etc "$root/etc/static"
for each in hosts passwd group resolv.conf; do ln -s "/etc/static/$each" "$root/etc/$each"; done
ln -s $system "$root/run/current-system" && ln -sf $system/sw/bin/sh "$root/bin/sh" && ln -sf $system/sw/bin/env "$root/usr/bin/env"
path=/run/current-system/sw/bin
works "NixOS"

new_root 1000
debian
for each in bin sbin lib lib64; do
	mkdir -p "$root/$each"
	mounts+=" && mount --bind /usr/$each $each"
done
rmdir "$root/lib64" 2>/dev/null && [ -e /usr/lib64 ] && mkdir "$root/lib64"
works "unmerged /bin"
is "unmerged /bin: git, and a program of /bin by its name" "1 ok" "$(sbx run -- bash -c 'git init -q g && git -C g -c user.name=n -c user.email=e commit -q --allow-empty -m m && git -C g log --oneline | wc -l && /bin/echo ok' | xargs)"

# Fedora Silverblue: what may change is in /var, and the top-level names are links to it.
new_root 1000
debian
mkdir -p "$root"/{sysroot/ostree,var} && mv "$root/home" "$root/var/home" && mkdir "$root/var/opt" && mv "$root/opt/sbx" "$root/var/opt/" && ln -s sysroot/ostree "$root/ostree"
for each in bin sbin lib lib64; do ln -s usr/$each "$root/$each"; done
for each in home root:roothome mnt srv opt; do mkdir -p "$root/var/${each#*:}" && rm -rf "${root:?}/${each%:*}" && ln -sfn "var/${each#*:}" "$root/${each%:*}"; done
mounts+=' && mount -o remount,bind,ro usr'
works "Silverblue, HOME=/home/dev"
home=/var/home/dev
works "Silverblue, HOME=/var/home/dev"

# --- homes and state
new_root 1000
mv "$root/home" "$root/data/home" && ln -s data/home "$root/home"
mv "$root/src/own" "$root/data/own" && ln -s ../data/own "$root/src/own"
works "home and project through links"
new_root 1000
mkdir -p "$root/data/state" "$root/home/dev/.local" && ln -s /data/state "$root/home/dev/.local/state" && chown -R 1000:1000 "$root/data/state" "$root/home/dev/.local"
works "state through a link"
for value in relative /data/file /proc/none /data/others; do
	new_root 1000
	: >"$root/data/file" && mkdir -m 700 "$root/data/others"
	variables=("XDG_STATE_HOME=$value" "XDG_CONFIG_HOME=$value" "XDG_CACHE_HOME=$value" "XDG_RUNTIME_DIR=$value")
	case $value in
	relative) works "XDG places that are relative" ;;
	*)
		like "XDG places at $value: a run, or the variable that helps" "$(sbx run -- sh -c 'echo ran')" '^ran$|XDG_(STATE|CONFIG)_HOME'
		like "XDG places at $value: no session, and why" "$(sbx session create one)" "$value|XDG_STATE_HOME"
		;;
	esac
done

# --- users
for uid in 1234567 2147483647 2147483648 3000000000 4294967294 65534; do
	new_root $uid
	works "uid $uid, without a name"
done
new_root 1000
uid=0 home=/root && mkdir -p "$root/root"
like "root in another's project: whom to be" "$(sbx run -- true)" 'belongs to uid 1000.*setpriv --reuid 1000 --regid 1000'
is "root in another's project: nothing is changed" 1000 "$(sbx run -- sh -c 'echo x >script' >/dev/null; stat -c %u "$root/src/own/script")"
is "root in another's project: it runs" ran "$(sbx run -- sh -c 'echo ran' 2>/dev/null | grep ran)"

uid=1000 home=/home/dev
is "root in another's project: as that user it is written, without a word" "x 0" "$(sbx run -- sh -c 'echo x >script'; cat "$root/src/own/script") $?"

# --- /dev and /proc
new_root 1000
mounts='umount -l dev'
refuses "empty /dev" '/dev/null'
new_root 1000
mounts='umount -l dev && mount -t tmpfs dev dev && for n in "null 3" "zero 5" "full 7" "random 8" "urandom 9"; do mknod -m 666 dev/${n% *} c 1 ${n#* }; done'
works "/dev without terminals and shm"
new_root 1000
mounts='umount proc && mount -t proc -o hidepid=2 proc proc'
works "hidepid=2"
new_root 1000
mounts='umount proc'
refuses "no /proc" 'mount -t proc proc /proc'
for mounts in 'mount -t tmpfs none proc/tty' 'mount --bind proc/sys proc/sys && mount -o remount,bind,ro proc/sys'; do
	masked=$mounts
	new_root 1000
	mounts=$masked
	refuses "masked /proc (${mounts%% &&*})" 'systempaths=unconfined' 'runArgs' 'procMount' '--isolation landlock'
	is "masked /proc (${mounts%% &&*}): with what is advised it runs" ran "$(sbx run --isolation landlock -- sh -c 'echo ran')"
done
done_testing
