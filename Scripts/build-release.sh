#!/usr/bin/env bash
# Builds the binary that is handed out: the Swift runtime inside, symbols stripped. It needs
# nothing but libc, libm, libgcc_s and libstdc++. Usage: Scripts/build-release.sh [OUT]
set -euo pipefail
cd "$(dirname "$0")/.."
out=${1:-rtool}
static=''
[ "$(uname)" = Linux ] && static=--static-swift-stdlib
swift build -c release $static --product rtool
cp "$(swift build -c release $static --show-bin-path)/rtool" "$out"
strip "$out" 2> /dev/null || true
"./$out" --version 2> /dev/null || "$out" --version
echo "$out: $(wc -c < "$out") bytes"
