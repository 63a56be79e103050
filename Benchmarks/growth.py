#!/usr/bin/env python3
"""Shows how cost grows with the input.

    python3 Benchmarks/growth.py RTOOL [MOST]

Runs each job on 1,000, 10,000, ... rows up to MOST (1,000,000; for vCard, iCalendar and JSON, whose
inputs are large and slow to make, a tenth of it) and prints CPU microseconds a row, peak memory (the
mapped input counted), and the exponent of the best power law through the sizes from 10,000 rows on,
start-up taken off: 1.00 is linear.
"""
import math
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))

# The kind of generate.py, its suffix, the arguments, what share of MOST is made.
JOBS = [
    ("mycontacts", "csv", ["out.csv"], 1),
    ("mycontacts", "csv", ["out.ndjson"], 1),
    ("mycontacts", "csv", ["out.realm", "--map", "mycontacts"], 1),
    ("todos", "csv", ["out.json"], 10),
    ("people", "vcf", ["out.vcf"], 10),
    ("people", "vcf", ["out.json"], 10),
    ("people", "vcf", ["out.csv"], 10),
    ("people", "vcf", ["out.realm"], 10),
    ("tasks", "ics", ["out.ics"], 10),
    ("tasks", "ics", ["out.realm"], 10),
    ("contacts", "json", ["out.csv"], 10),
]


def measured(command):
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"{' '.join(command)} failed")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def best(command, rows):
    """Short runs are repeated, since the clock is coarse and the start varies."""
    runs = [measured(command) for _ in range(1 if rows > 1_000_000 else 3 if rows > 10_000 else 9)]
    return min(run[0] for run in runs), max(run[1] for run in runs)


def exponent(points):
    """The slope of a line through the logarithms of (rows, seconds)."""
    points = [(math.log(n), math.log(t)) for n, t in points if t > 0]
    if len(points) < 2:
        return math.nan
    x = sum(p[0] for p in points) / len(points)
    y = sum(p[1] for p in points) / len(points)
    return (sum((p[0] - x) * (p[1] - y) for p in points)
            / sum((p[0] - x) ** 2 for p in points))


def main():
    rtool = os.path.abspath(sys.argv[1])
    most = int(sys.argv[2]) if len(sys.argv) > 2 else 1_000_000
    with tempfile.TemporaryDirectory() as work:
        os.chdir(work)
        start, _ = best([rtool, "--version"], 0)
        print(f"start-up {start * 1000:.1f} ms")
        made = set()
        for kind, suffix, arguments, share in JOBS:
            line, points = [], []
            rows = 1_000
            while rows <= most // share:
                source = f"{kind}{rows}.{suffix}"
                if source not in made:
                    for old in made:
                        if not old.startswith(kind):
                            os.remove(old)
                    made = {old for old in made if old.startswith(kind)}
                    with open(source, "wb") as out:
                        subprocess.check_call(
                            [sys.executable, f"{HERE}/generate.py", kind, str(rows)], stdout=out)
                    made.add(source)
                cpu, memory = best(
                    [rtool, "convert", source, *arguments, "--force", "-q"], rows)
                line.append(f"{cpu / rows * 1e6:.2f} us {memory:.0f} MiB")
                if rows >= 10_000:
                    points.append((rows, cpu - start))
                rows *= 10
            print(f"{kind}.{suffix} to {arguments[0][4:]:6} exponent {exponent(points):.2f}: "
                  + ", ".join(line), flush=True)
            os.remove(arguments[0])


if __name__ == "__main__":
    main()
