#!/usr/bin/env python3
"""Runs rtool and the peers that are installed on the same inputs, alternating, in one run.

usage: bench.py [--rows N] [--runs N] [--rtool PATH] [--only WORD] [--markdown]

Prints for each job the median CPU time (user and system, whole process), wall time, peak memory,
records a second, and each peer's CPU time as a ratio: 0.20 means rtool takes a fifth. With
valgrind also instructions a byte of input (at a tenth of the rows). Peers are looked for and left
out when they are not there: from Debian miller, jq, libical-dev, libebook1.2-dev; from PyPI
orjson, polars, pyarrow, duckdb, csvkit, vobject, icalendar.
"""
import argparse
import importlib.util
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
PEERS = HERE / "peers" / "peers.py"


def measured(command):
    """CPU and wall seconds and peak MiB of one process."""
    start = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    if status:
        return None
    return used.ru_utime + used.ru_stime, time.monotonic() - start, used.ru_maxrss / 1024


def instructions(command):
    out = subprocess.run(
        ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *command],
        capture_output=True, text=True).stderr
    counts = [line.split()[-1] for line in out.splitlines() if "Collected" in line]
    return int(counts[0]) if counts else None


def compiled(name, package, work):
    """A small C program, when the library's headers are there."""
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", package], capture_output=True,
                           text=True)
    if flags.returncode or not shutil.which("cc"):
        return None
    program = work / name
    built = subprocess.run(["cc", "-O2", HERE / "peers" / f"{name}.c", "-o", program,
                            *flags.stdout.split()], capture_output=True)
    return [str(program)] if built.returncode == 0 else None


def python(job):
    package = job.split("_")[0]
    if importlib.util.find_spec(package) is None:
        return None
    return [sys.executable, str(PEERS), job]


def shell(*words):
    """A command of another program; {in} and {out} stand for the files."""
    if not shutil.which(words[0]):
        return None
    text = " ".join(words)
    return ["sh", "-c", text.replace("{in}", '"$0"').replace("{out}", '"$1"')]


def jobs(work):
    ical = compiled("libical", "libical", work)
    ebook = compiled("libebook", "libebook-contacts-1.2", work)
    return [
        # name, kind of input, ending of the output, words for rtool, peers
        ("vCard to vCard", "people.vcf", "vcf", [],
         {"libebook": ebook, "vobject": python("vobject_vcard")}),
        ("vCard to JSON", "people.vcf", "json", [], {"vobject (to vCard)": python("vobject_vcard")}),
        ("vCard to CSV", "people.vcf", "csv", [], {}),
        ("vCard to store", "people.vcf", "realm", [], {}),
        ("iCalendar to iCalendar", "tasks.ics", "ics", [],
         {"libical": ical, "icalendar": python("icalendar_ical")}),
        ("iCalendar to JSON", "tasks.ics", "json", [], {}),
        ("CSV to CSV (40 columns)", "google.csv", "csv", [],
         {"polars": python("polars_csv"), "pyarrow": python("pyarrow_csv"),
          "duckdb": python("duckdb_csv"), "csv module": python("csv_csv"),
          "miller": shell("mlr", "--icsv", "--ocsv", "--allow-ragged-csv-input", "cat", "{in}",
                          ">", "{out}"),
          "csvkit": python("csvkit_csv")}),
        ("CSV to NDJSON (40 columns)", "google.csv", "ndjson", [],
         {"polars": python("polars_ndjson"), "duckdb": python("duckdb_ndjson"),
          "miller": shell("mlr", "--icsv", "--ojsonl", "-S", "--allow-ragged-csv-input", "cat",
                          "{in}", ">", "{out}")}),
        ("CSV to CSV (8 columns)", "todos.csv", "csv", [],
         {"polars": python("polars_csv"), "duckdb": python("duckdb_csv")}),
        ("JSON to CSV", "contacts.json", "csv", [],
         {"orjson (to JSON)": python("orjson_json"),
          "jq": shell("jq", "-r", "'.[]|[.id,.name.full,.note,.rev]|@csv'", "{in}", ">", "{out}")}),
        ("JSON to JSON", "contacts.json", "json", [], {"orjson": python("orjson_json")}),
        ("CSV to store", "mycontacts.csv", "realm", ["--map", "mycontacts"], {}),
        ("store to CSV", "mycontacts.realm", "csv", [], {}),
        ("store to JSON", "mycontacts.realm", "json", [], {}),
        ("store to store", "mycontacts.realm", "realm", [], {}),
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--rtool", default=str(HERE.parent / ".build" / "release" / "rtool"))
    parser.add_argument("--only", default="")
    parser.add_argument("--markdown", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        run(options, pathlib.Path(folder))


def inputs(work, rows, rtool):
    for kind, name in (("people", "people.vcf"), ("tasks", "tasks.ics"), ("google", "google.csv"),
                       ("todos", "todos.csv"), ("contacts", "contacts.json"),
                       ("mycontacts", "mycontacts.csv")):
        with open(work / name, "wb") as out:
            subprocess.run([sys.executable, HERE / "generate.py", kind, str(rows)], stdout=out,
                           check=True)
    subprocess.run([rtool, "convert", work / "mycontacts.csv", work / "mycontacts.realm",
                    "--map", "mycontacts", "--quiet"], check=True)


def run(options, work):
    full, small = work / "full", work / "small"
    full.mkdir()
    small.mkdir()
    inputs(full, options.rows, options.rtool)
    counts = shutil.which("valgrind") is not None
    if counts:
        inputs(small, options.rows // 10, options.rtool)
    start = measured([options.rtool, "--version"])
    idle = instructions([options.rtool, "--version"]) if counts else None
    print(f"{options.rows} rows, median of {options.runs} runs; start-up "
          f"{start[0] * 1000:.1f} ms CPU" + (f", {idle / 1e6:.1f} M instructions" if idle else ""))
    head = ["job", "MB", "CPU s", "wall s", "wall/CPU", "MiB", "records/s", "instr/byte", "peers"]
    if options.markdown:
        print("|" + "|".join(head) + "|\n|---|" + "--:|" * 7 + "---|")
    for name, source, ending, words, peers in jobs(work):
        if options.only.lower() not in name.lower():
            continue
        rtool = [options.rtool, "convert", "{in}", "{out}", "--force", "--quiet", *words]
        commands = {"rtool": rtool}
        commands |= {k: v + ["{in}", "{out}"] for k, v in peers.items() if v}
        times = {k: [] for k in commands}
        out = str(work / f"out.{ending}")
        for turn in range(options.runs + 1):
            for key, command in list(commands.items()):
                if turn > 1 and key != "rtool" and times[key][0][0] > 10:
                    continue
                filled = [c.replace("{in}", str(full / source)).replace("{out}", out)
                          for c in command]
                result = measured(filled)
                if result is None:
                    print(f"{name}: {key} failed", file=sys.stderr)
                    commands.pop(key)
                elif turn > 0:
                    times[key].append(result)
        ours = [statistics.median(t[i] for t in times["rtool"]) for i in range(3)]
        size = (full / source).stat().st_size
        cost = ""
        if counts:
            command = [c.replace("{in}", str(small / source)).replace("{out}", out) for c in rtool]
            count = instructions(command)
            if count and idle:
                cost = f"{(count - idle) / (small / source).stat().st_size:.1f}"
        ratios = ", ".join(
            f"{key} {ours[0] / statistics.median(t[0] for t in taken):.2f}"
            for key, taken in times.items() if key != "rtool" and taken)
        row = [name, f"{size / 1e6:.1f}", f"{ours[0]:.3f}", f"{ours[1]:.3f}",
               f"{ours[1] / ours[0]:.2f}", f"{ours[2]:.0f}", f"{options.rows / ours[0]:,.0f}",
               cost, ratios]
        if options.markdown:
            print("|" + "|".join(row) + "|", flush=True)
        else:
            print(f"{row[0]:28}" + "".join(f"{c:>10}" for c in row[1:6]) + f"{row[6]:>14}"
                  f"{row[7]:>8}  {row[8]}", flush=True)


if __name__ == "__main__":
    main()
