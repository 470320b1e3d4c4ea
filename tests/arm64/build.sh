#!/bin/bash
# Builds for arm64 and runs the unit tests under qemu-user. That knows no openat2, seccomp, Landlock or namespaces: what
# needs them is run by commands.sh, in a machine.
. "$(dirname "$0")/../lib.sh"
here=$(cd "$(dirname "$0")" && pwd)
build=$(dirname "$(dirname "$SBX")") arm=$(dirname "$(dirname "$(dirname "$SBX")")")/build-arm64
for each in clang ld.lld llvm-ar qemu-aarch64-static; do
	command -v $each >/dev/null || { skip "the build for arm64" "there is no $each: tests/setup all"; done_testing; }
done
if ! place=$("$here/tools" build "$arm" 2>"$work/log"); then
	fail "clang, --werror" "$(tail -40 "$work/log")"
	done_testing
fi
pass "clang, --werror"
like "it is a program for arm64, in one file" "$(llvm-readelf -hl "$arm/src/sbx")" 'Machine: +AArch64'
is "that needs no library" 0 "$(llvm-readelf -d "$arm/src/sbx" | grep -c NEEDED)"
like "it is hardened: canaries" "$(llvm-nm -u "$arm/src/libhooked.a" | grep -c stack_chk_fail)" '^[1-9][0-9]'
like "and signed return addresses" "$(llvm-objdump -d "$arm"/src/libhooked.a.p/process_init.c.o | grep -cE 'paciasp|hint.*#25')" '^[1-9]'
like "the filter has this machine's numbers" "$(grep -w '"mount"' "$arm/src/syscall-numbers.c" | head -1)" '"mount", 40,'

# A cross file whose words make each test of the compiler fail would take all of that away.
printf '#!/bin/sh\nfor each; do [ "$each" != -fstack-protector-strong ] || exit 1; done\nexec cc "$@"\n' >"$work/weak"
chmod +x "$work/weak"
like "a compiler without hardening is an error" "$(CC=$work/weak meson setup -Dtests=false "$work/weak-build" "$here/../.." 2>&1)" \
	'ERROR: .*The compiler does not take -fstack-protector-strong'

"$here/agree" "$build/src/sbx-gen" >"$work/log"
is "the filter's verdicts are those of x86-64" 0 "$?" && grep '^#' "$work/log"
left=$("$here/tools" left | xargs)
for name in "$arm"/tests/test-*[a-z]; do
	[ -f "$name" ] || continue
	name=${name##*/test-}
	case " $left agents " in
	*" $name "*) skip "unit $name" "in the machine: it needs calls that qemu-user lacks (agents: a minute, emulated)" ;;
	*)
		CMOCKA_MESSAGE_OUTPUT=TAP timeout 600 qemu-aarch64-static -L "$place/root" "$arm/tests/test-$name" >"$work/log" 2>&1
		is "unit $name" "0 0" "$? $(grep -c '^not ok' "$work/log")" && grep -A3 '^not ok' "$work/log" | sed 's/^/# /'
		;;
	esac
done
done_testing
