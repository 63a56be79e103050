#!/usr/bin/env python3
"""Times migrations that copy no rows beside copying the file, in turn.

    python3 Benchmarks/migrate.py RTOOL [ROWS] [RUNS]

Makes a store of ROWS contacts (1,000,000), then runs `rtool migrate --in-place` (check, run,
verification, journal and kept original included) and `cp` with `sync` by turns, RUNS times (7), and
prints medians: wall and CPU seconds, peak memory, and the ratio of the wall times. Only a quiet
machine gives figures worth having.
"""
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

PLANS = {
    "rename": [{"renameProperty": "ContactObject.phone", "to": "number"}],
    "add": [{"addProperty": "ContactObject.rank", "type": "int", "value": 7}],
    "drop": [{"dropProperty": "ContactObject.isBuddy"}],
}
PLANS["all"] = PLANS["rename"] + PLANS["add"] + PLANS["drop"]


def timed(command):
    os.sync()
    start = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"{' '.join(command)} failed")
    return time.monotonic() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def main():
    rtool = os.path.abspath(sys.argv[1])
    rows = sys.argv[2] if len(sys.argv) > 2 else "1000000"
    runs = int(sys.argv[3]) if len(sys.argv) > 3 else 7
    here = os.path.dirname(os.path.abspath(__file__))
    with tempfile.TemporaryDirectory() as work:
        os.chdir(work)
        with open("in.csv", "wb") as out:
            subprocess.check_call(
                [sys.executable, f"{here}/generate.py", "mycontacts", rows], stdout=out)
        subprocess.check_call([rtool, "convert", "in.csv", "s.realm", "--map", "mycontacts", "-q"])
        for name, changes in PLANS.items():
            with open(f"{name}.json", "w") as out:
                step = {"from": 0, "to": 1, "changes": changes}
                json.dump({"rtoolPlan": 1, "name": name, "steps": [step]}, out)
        print(f"{os.path.getsize('s.realm') / 1e6:.1f} MB, {rows} rows, median of {runs}")
        for name in PLANS:
            ours, copies = [], []
            for _ in range(runs):
                for file in os.listdir("."):
                    if file.startswith("x.") and os.path.isfile(file):
                        os.remove(file)
                subprocess.check_call(["cp", "s.realm", "x.realm"])
                ours.append(
                    timed([rtool, "migrate", "x.realm", "--plan", f"{name}.json", "--in-place",
                           "-q"]))
                copies.append(timed(["sh", "-c", "cp s.realm c.realm && sync -f c.realm"]))
            wall, cpu, memory = (statistics.median(x[k] for x in ours) for k in range(3))
            copy = statistics.median(x[0] for x in copies)
            ratio = statistics.median(a[0] / b[0] for a, b in zip(ours, copies))
            print(f"{name:7} {wall:.3f} s wall, {cpu:.3f} s CPU, {memory:.0f} MiB; "
                  f"cp and sync {copy:.3f} s; ratio {ratio:.2f}")


if __name__ == "__main__":
    main()
