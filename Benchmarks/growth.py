#!/usr/bin/env python3
"""Shows how cost grows with the input.

    python3 Benchmarks/growth.py RTOOL [MOST]

Runs each job on 1,000, 10,000, ... rows up to MOST (1,000,000; for vCard, iCalendar and JSON, whose
inputs are large and slow to make, a tenth of it) and prints for each size the CPU seconds and the
peak memory (the mapped input counted), and the microseconds for each further row from one size to
the next: cost is linear where they stay the same.
"""
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


def marginal(points):
    """Microseconds for each further row, from one size to the next."""
    return [(t - s) / (n - m) * 1e6 for (m, s), (n, t) in zip(points, points[1:])]


def main():
    rtool = os.path.abspath(sys.argv[1])
    most = int(sys.argv[2]) if len(sys.argv) > 2 else 1_000_000
    with tempfile.TemporaryDirectory() as work:
        os.chdir(work)
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
                line.append(f"{cpu:.3f} s {memory:.0f} MiB")
                points.append((rows, cpu))
                rows *= 10
            steps = ", ".join(f"{us:.2f}" for us in marginal(points))
            print(f"{kind}.{suffix} to {arguments[0][4:]:6} {', '.join(line)}; us a further row: "
                  + steps, flush=True)
            os.remove(arguments[0])


if __name__ == "__main__":
    main()
