#!/bin/bash
# Boots Debian's kernel for arm64 in QEMU, emulated, and runs commands.sh in it: three minutes. TAP, from root.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../vm/machine.sh"
here=$(cd "$(dirname "$0")" && pwd)
tree=$(cd "$here/../.." && pwd)
arm=$(dirname "$(dirname "$(dirname "$SBX")")")/build-arm64
for each in clang ld.lld qemu-system-aarch64 apt-get busybox depmod cpio mke2fs; do
	command -v $each >/dev/null || { skip "a machine with arm64" "there is no $each: tests/setup all"; done_testing; }
done
[ "$(id -u)" = 0 ] || { skip "a machine with arm64" "needs root"; done_testing; }
if ! place=$("$here/tools" build "$arm" 2>"$work/log"); then
	fail "the build for arm64" "$(tail -40 "$work/log")"
	done_testing
fi
version=$(basename "$place"/kernel/boot/vmlinuz-*)
version=${version#vmlinuz-}

# The first disk: the packages that tools unpacked, without what only a compiler reads.
disk=$work/root
mkdir -p "$disk"/{dev,proc,sys,tmp,run,vm,root,var/tmp,home/tester,etc} "$work/vm/vm"
mkdir -p "$disk$tree" && ln -s /vm/tests "$disk$tree/tests" # where the unit tests look for theirs
tar cf - -C "$place/root" --exclude='*.a' --exclude=./usr/include --exclude=./usr/share . | tar xf - -C "$disk"
for applet in $(busybox --list); do
	[ -e "$disk/bin/$applet" ] || [ -e "$disk/usr/bin/$applet" ] || ln -s busybox "$disk/bin/$applet"
done
mkdir -p "$disk/lib/modules" "$disk/sbin" && ln -s ../bin/busybox "$disk/sbin/modprobe" # where the kernel calls it
cp -a "$place/kernel/lib/modules/$version" "$disk/lib/modules/"
depmod -b "$disk" "$version"
printf '%s\n' root:x:0:0::/root:/bin/bash tester:x:1000:1000::/home/tester:/bin/bash >"$disk/etc/passwd"
printf '%s\n' root:x:0: tester:x:1000: >"$disk/etc/group"
printf '%s\n' '127.0.0.1 localhost machine' >"$disk/etc/hosts"
printf '%s\n' 'nameserver 127.0.0.1' >"$disk/etc/resolv.conf"
echo 'root:!:1::::::' >"$disk/etc/shadow" && chmod 600 "$disk/etc/shadow"
chown -R 1000:1000 "$disk/home/tester" && chmod 1777 "$disk/tmp" "$disk/var/tmp"
"$here/../vm/initrd" "$disk" "$version" "$place/root/bin/busybox" "$work/initrd" &&
	mke2fs -q -F -t ext4 -d "$disk" "$work/root.ext4" 700M 2>"$work/log" || { fail "the disk"; done_testing; }
rm -rf "$disk"

# The second: what is tested, the tests, a program for 32-bit ARM and one for another machine.
cp "$arm"/src/{sbx,sbx-testing} "$arm"/tests/{attack,confine,outside} "$here/../vm/init" "$work/vm/vm/"
cp "$SBX" "$work/vm/vm/foreign"
for each in $("$here/tools" left); do cp "$arm/tests/test-$each" "$work/vm/vm/"; done
cp -r "$here/.." "$work/vm/vm/tests"
printf '#!/bin/sh\nexec /vm/tests/arm64/commands.sh\n' >"$work/vm/vm/suites"
printf '.global _start\n_start: mov r0, #7\nmov r7, #1\nsvc #0\n' |
	clang --target=arm-linux-gnueabihf -nostdlib -fuse-ld=lld -static -x assembler - -o "$work/vm/vm/arm32" || { fail "a program for 32-bit ARM"; done_testing; }
chmod 755 "$work"/vm/vm/*
tar cf "$work/disk.tar" -C "$work/vm" .

qemu-system-aarch64 -M virt -cpu max,pauth-impdef=on -accel tcg -m 1024 -smp 2 -nographic -no-reboot -nodefaults \
	-kernel "$place/kernel/boot/vmlinuz-$version" -initrd "$work/initrd" \
	-drive file="$work/root.ext4",format=raw,if=none,id=first,snapshot=on -device virtio-blk-pci,drive=first \
	-drive file="$work/disk.tar",format=raw,if=none,id=second,snapshot=on -device virtio-blk-pci,drive=second \
	-device virtio-serial-pci -chardev file,id=tap,path="$work/arm64.tap" -device virtconsole,chardev=tap \
	-serial file:"$work/arm64.console" -append "console=ttyAMA0 panic=1 oops=panic quiet" </dev/null >"$work/arm64.qemu" 2>&1 &
watch $! arm64
wait $!
take arm64
done_testing
