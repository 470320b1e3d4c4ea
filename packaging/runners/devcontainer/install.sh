#!/bin/sh
# A devcontainer feature is a directory with this file, devcontainer-feature.json and a release's tarball, its sum and
# install.sh (as release-install.sh).
set -eu
cd "$(dirname "$0")"
sh ./release-install.sh --prefix /usr/local sbx-*-"$(uname -m)"-linux.tar.gz
