#!/usr/bin/env bash
# rtool beside the peers that are installed, in one run: CPU, wall, memory, ratios, instructions.
# Usage: Scripts/bench.sh [--rows N] [--runs N] [--only WORD] [--markdown]     (100000, 5)
set -euo pipefail
cd "$(dirname "$0")/.."
[ -x .build/release/rtool ] || swift build -c release --product rtool
exec python3 Benchmarks/bench.py "$@"
