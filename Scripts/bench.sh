#!/usr/bin/env bash
# The main jobs at size, in one run: CPU seconds, wall seconds and peak memory of the whole
# process, the median of several runs. Usage: Scripts/bench.sh [ROWS] [RUNS]   (1000000, 5)
set -euo pipefail
cd "$(dirname "$0")/.."
rows=${1:-1000000}
runs=${2:-5}
cards=$((rows / 10))
rtool=.build/release/rtool
[ -x "$rtool" ] || swift build -c release
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 Benchmarks/generate.py mycontacts "$rows" > "$work/mycontacts.csv"
python3 Benchmarks/generate.py people "$cards" > "$work/people.vcf"
python3 Benchmarks/generate.py tasks "$cards" > "$work/tasks.ics"

measure() {
    local name=$1
    shift
    python3 - "$name" "$runs" "$@" <<'P'
import os, resource, statistics, subprocess, sys, time
name, runs, command = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
cpu, wall, peak = [], [], 0
for i in range(runs + 1):
    start = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    if status: sys.exit(f"{name}: exit {status}")
    if i == 0: continue
    cpu.append(used.ru_utime + used.ru_stime)
    wall.append(time.monotonic() - start)
    peak = max(peak, used.ru_maxrss)
print(f"{name:44} {statistics.median(cpu):7.3f} s CPU {statistics.median(wall):7.3f} s wall {peak / 1024:7.1f} MiB")
P
}

measure "start" "$rtool" --version
measure "mycontacts.csv -> store, $rows rows" "$rtool" convert "$work/mycontacts.csv" "$work/store.realm" --map mycontacts --force
measure "store -> csv" "$rtool" convert "$work/store.realm" "$work/out.csv" --force
measure "store -> json" "$rtool" convert "$work/store.realm" "$work/out.json" --force
measure "store -> store" "$rtool" convert "$work/store.realm" "$work/copy.realm" --force
measure "people.vcf -> json, $cards cards" "$rtool" convert "$work/people.vcf" "$work/people.json" --force
measure "people.vcf -> csv" "$rtool" convert "$work/people.vcf" "$work/people.csv" --force
measure "people.vcf -> store" "$rtool" convert "$work/people.vcf" "$work/people.realm" --force
measure "people.vcf -> vcf" "$rtool" convert "$work/people.vcf" "$work/again.vcf" --force
measure "tasks.ics -> json, $cards to-dos" "$rtool" convert "$work/tasks.ics" "$work/tasks.json" --force
ls -l "$work/mycontacts.csv" "$work/store.realm" | awk '{print $5, $9}' | sed "s|$work/||"
