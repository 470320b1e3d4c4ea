#!/bin/bash
# Each package is made twice in two directories, has equal sums, and is installed in a clean root, where its sbx runs a
# box; what is broken is refused with a sentence and installs nothing.
. "$(dirname "$0")/../lib.sh"
top=$(cd "$(dirname "$0")/../.." && pwd)
version=$(sed -n "s/^  version: '\(.*\)',/\1/p" "$top/meson.build") cpu=$(uname -m)
export SOURCE_DATE_EPOCH=1700000000
for twin in one two; do
	"$top/packaging/build" "$cpu" "$work/$twin" || { fail "build $twin"; done_testing; exit; }
	for form in tarball deb rpm npm wheel oci; do
		[ "$form" != rpm ] || command -v rpmbuild >/dev/null || continue
		"$top/packaging/pack" "$form" "$cpu" "$version" "$work/$twin" "$work/out-$twin" >"$work/made-$twin-$form" || fail "$form"
	done
done
is "two builds in two directories, equal sums" "$(cd "$work/out-one" && sha256sum -- *)" "$(cd "$work/out-two" && sha256sum -- *)"
is "there are seven files or, without rpmbuild, six" yes "$([ "$(ls "$work/out-one" | wc -l)" -ge 6 ] && echo yes)"
cd "$work/out-one" || exit
tarball=sbx-$version-$cpu-linux.tar.gz
sha256sum "$tarball" >"$tarball.sha256"

# A box by the installed file, and how doctor says that it came. The calling directory is no project.
mkdir -p "$work/project" "$work/home"
works() { # NAME FORM FILE
	is "$1: version" "sbx $version" "$("$3" --version)"
	is "$1: runs a box" in "$(cd "$work/project" && HOME=$work/home "$3" run -- echo in)"
	like "$1: doctor names the package" "$(cd "$work/project" && PATH=$(dirname "$3"):$PATH HOME=$work/home "$3" doctor 2>&1)" "PATH leads to this program \($2\)"
}

is "install.sh says what it installed" "sbx $version" "$(sh "$top/packaging/install.sh" --prefix "$work/local" "$tarball" | head -1)"
works tarball tarball "$work/local/bin/sbx"
is "manual and completions come along" 4 "$(cd "$work/local/share" && ls man/man1/sbx.1.gz bash-completion/completions/sbx zsh/site-functions/_sbx fish/vendor_completions.d/sbx.fish | wc -l)"
cp "$work/local/bin/sbx" "$work/newer" && mv "$work/local/bin/sbx" "$work/kept"
printf '#!/bin/sh\necho sbx 99.0\n' >"$work/local/bin/sbx" && chmod +x "$work/local/bin/sbx"
like "an older version over a newer is refused" "$(sh "$top/packaging/install.sh" --prefix "$work/local" "$tarball" 2>&1)" "sbx 99.0 is in .*, and $version is older: remove it first"
is "and the newer one stays" "sbx 99.0" "$("$work/local/bin/sbx")"
mv "$work/kept" "$work/local/bin/sbx"
touch "$work/local/share/mine"
sh "$top/packaging/install.sh" --prefix "$work/local" --uninstall
is "--uninstall takes what was installed, and no more" mine "$(cd "$work/local" && find . -type f -printf '%f\n')"
head -c 100000 "$tarball" >"$work/half.tar.gz" && cp "$tarball.sha256" "$work/half.tar.gz.sha256"
like "half a download is refused" "$(sh "$top/packaging/install.sh" --prefix "$work/never" "$work/half.tar.gz" 2>&1)" "has another sum than .*nothing was installed"
like "so is one without a sum" "$(cp "$tarball" "$work/bare.tar.gz"; sh "$top/packaging/install.sh" --prefix "$work/never" "$work/bare.tar.gz" 2>&1)" "sum cannot be checked"
is "and nothing is there" "" "$(ls "$work/never" 2>/dev/null)"
mkdir "$work/foreign" && tar -xzf "$tarball" -C "$work/foreign" && printf '\xb7' | dd of="$(echo "$work"/foreign/*/bin/sbx)" bs=1 seek=18 conv=notrunc status=none
like "a program of another machine is refused" "$(sh "$(echo "$work"/foreign/*)/install.sh" --prefix "$work/never" 2>&1)" "does not run here"
mkdir -m 555 "$work/readonly"
if [ "$(id -u)" = 0 ]; then
	skip "a place that cannot be written is refused" "root writes everywhere"
else
	like "a place that cannot be written is refused" "$(sh "$top/packaging/install.sh" --prefix "$work/readonly" "$tarball" 2>&1)" "cannot be written: choose a place with --prefix"
fi

deb=$(cat "$work/made-one-deb")
dpkg-deb -x "$deb" "$work/deb" && works deb deb "$work/deb/usr/bin/sbx"
like "deb: needs nothing" "$(dpkg-deb -f "$deb" Depends Recommends)" '^git$|Recommends: git'
if command -v rpmbuild >/dev/null; then
	mkdir "$work/rpm" && (cd "$work/rpm" && rpm2cpio "$(cat "$work/made-one-rpm")" | cpio -idm --quiet)
	works rpm rpm "$work/rpm/usr/bin/sbx"
	is "rpm: needs no library" "" "$(rpm -qpR "$(cat "$work/made-one-rpm")" | grep -v '^rpmlib')"
else
	skip "rpm" "rpmbuild is not here"
fi
node=$(node -p process.arch 2>/dev/null)
if [ -n "$node" ] && command -v npm >/dev/null; then
	mkdir "$work/npm" && cd "$work/npm" && echo '{}' >package.json
	here=("$work/out-one/sbx-sandbox-linux-$node-$version.tgz" "$work/out-one/sbx-sandbox-$version.tgz")
	export npm_config_cache=$work/npm-cache npm_config_fund=false npm_config_audit=false npm_config_update_notifier=false
	npm install --offline --omit=optional --ignore-scripts "${here[@]}" >"$work/npm.log" 2>&1 || fail "npm install" "$(tail -5 "$work/npm.log")"
	is "npm without scripts: the launcher gives status and words" "3 in" "$(cd "$work/project" || exit; HOME=$work/home "$work/npm/node_modules/.bin/sbx" run -- sh -c 'echo in; exit 3' >"$work/said"; echo "$? $(cat "$work/said")")"
	node node_modules/sbx-sandbox/postinstall.js
	is "npm: the file itself is in .bin" "$(sha256sum <"$work/one/root/usr/bin/sbx")" "$(sha256sum <node_modules/.bin/sbx)"
	like "npm: and so is sbx-shell" "$(cd "$work/project" && HOME=$work/home "$work/npm/node_modules/.bin/sbx-shell" -c 'echo in' 2>&1)" '^in$'
	works npm npm "$work/npm/node_modules/.bin/sbx"
	rm -r node_modules/sbx-sandbox-linux-*
	cp "$top/packaging/npm/launcher.js" node_modules/sbx-sandbox/bin/sbx
	like "npm: a missing package for the machine is named" "$(node_modules/.bin/sbx --version 2>&1)" "'sbx-sandbox-linux-$node' is not installed"
else
	skip "npm" "node or npm is not here"
fi
if python3 -m venv "$work/venv" >/dev/null 2>&1; then
	"$work/venv/bin/pip" install --no-index --quiet "$(cat "$work/made-one-wheel")" >"$work/pip.log" 2>&1 || fail "pip install" "$(tail -5 "$work/pip.log")"
	works wheel wheel "$work/venv/bin/sbx"
	is "wheel: sbx-shell" in "$(cd "$work/project" && HOME=$work/home "$work/venv/bin/sbx-shell" -c 'echo in')"
	"$work/venv/bin/pip" uninstall -qy sbx-sandbox && is "wheel: removed whole" "" "$(find "$work/venv" -name '*sbx*')"
else
	skip "wheel" "python3 has no venv"
fi
is "OCI: one file, its sum is its name" "sbx sha256" "$(python3 - "$(cat "$work/made-one-oci")" <<'END'
import hashlib, io, json, sys, tarfile
image = tarfile.open(sys.argv[1])
def blob(row):
    data = image.extractfile("blobs/sha256/" + row["digest"].split(":")[1]).read()
    assert hashlib.sha256(data).hexdigest() == row["digest"].split(":")[1]
    return data
manifest = json.loads(blob(json.load(image.extractfile("index.json"))["manifests"][0]))
layer = blob(manifest["layers"][0])
print(*tarfile.open(fileobj=io.BytesIO(layer)).getnames(), "sha256")
END
)"
like "a file of another machine is no package" "$("$top/packaging/pack" tarball aarch64 1 "$work/one" "$work/bad" 2>&1)" "is not a program for aarch64"
for recipe in PKGBUILD APKBUILD; do bash -n "$top/packaging/recipes/$recipe" && pass "$recipe: syntax" || fail "$recipe: syntax"; done
done_testing
