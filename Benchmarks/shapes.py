#!/usr/bin/env python3
"""Runs rtool on inputs of unusual shape and prints what each costs.

    python3 Benchmarks/shapes.py RTOOL [--small]

One property a card times ten million, one card of a million properties, one value of 64 MB, a list
of a million links, a thousand classes, a thousand columns: into every kind of file that holds them,
and back. --small makes inputs of a hundredth. For each job: CPU seconds, peak memory (the mapped
input counted), nanoseconds of CPU a byte of input, the size of the output, or the error.
"""
import json
import os
import subprocess
import sys
import tempfile


HERE = os.path.dirname(os.path.abspath(__file__))


def measured(command):
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    said = process.stderr.read().decode(errors="replace").strip().split("\n")
    message = next((line.strip() for line in said if "error" in line or "set aside" in line), said[0])
    _, status, usage = os.wait4(process.pid, 0)
    code = os.waitstatus_to_exitcode(status)
    return code, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, message


def cards(count, out):
    block = "".join(f"BEGIN:VCARD\r\nVERSION:4.0\r\nFN:p{i}\r\nEND:VCARD\r\n" for i in range(1000))
    for _ in range(count // 1000):
        out.write(block)


def properties(count, out):
    out.write("BEGIN:VCARD\r\nVERSION:4.0\r\nFN:Many\r\n")
    for i in range(count):
        out.write(f"TEL;TYPE=cell:+{i}\r\n")
    out.write("END:VCARD\r\n")


def note(size, out):
    out.write("BEGIN:VCARD\r\nVERSION:4.0\r\nFN:Long\r\nNOTE:")
    for _ in range(size // 100):
        out.write("x" * 98 + "\r\n ")
    out.write("\r\nEND:VCARD\r\n")


def cell(size, out):
    out.write("name,note\r\nLong,\"" + "x" * size + "\"\r\n")


def string(size, out):
    out.write('[{"name":"Long","note":"' + "x" * size + '"}]')


def document(classes, objects, out):
    json.dump({"rtool": 1, "schemaVersion": 0, "classes": classes, "tables": [],
               "objects": objects, "rows": {}}, out)


def links(count, out):
    """One object whose list names every object of its own class."""
    node = {"name": "Node", "kind": "object", "primaryKey": "id", "properties": [
        {"name": "id", "type": "int"},
        {"name": "next", "type": "link", "collection": "list", "target": "Node"}]}
    rows = [{"$key": i, "id": i, "next": []} for i in range(count)]
    rows[0]["next"] = [{"$ref": "Node", "$key": i} for i in range(count)]
    document([node], {"Node": rows}, out)


def classes(count, out):
    names = [f"C{i}" for i in range(count)]
    kinds = [{"name": name, "kind": "object", "primaryKey": "id", "properties": [
        {"name": "id", "type": "int"},
        {"name": "text", "type": "string"}]} for name in names]
    rows = {name: [{"$key": i, "id": i, "text": f"{name} {i}"} for i in range(10)]
            for name in names}
    document(kinds, rows, out)


def columns(count, out):
    out.write(",".join(f"column{i}" for i in range(count)) + "\r\n")
    for row in range(10_000_000 // count):
        out.write(",".join(f"{row}.{i}" for i in range(count)) + "\r\n")


SHAPES = [
    ("one property a card", "vcf", cards, 10_000_000, ["vcf", "json", "csv", "realm"]),
    ("one card, many properties", "vcf", properties, 1_000_000, ["vcf", "json", "csv", "realm"]),
    ("one long value, card", "vcf", note, 64_000_000, ["vcf", "json", "realm"]),
    ("one long value, CSV", "csv", cell, 64_000_000, ["csv", "json", "realm"]),
    ("one long value, JSON", "json", string, 64_000_000, ["csv", "json", "realm"]),
    ("one list of links", "json", links, 1_000_000, ["realm", "json"]),
    ("classes", "json", classes, 1_000, ["realm", "json"]),
    ("columns", "csv", columns, 1_000, ["csv", "json", "realm"]),
]


def main():
    if sys.argv[1] == "--make":
        make = next(shape[2] for shape in SHAPES if shape[2].__name__ == sys.argv[2])
        with open(sys.argv[4], "w", newline="") as out:
            make(int(sys.argv[3]), out)
        return
    rtool = os.path.abspath(sys.argv[1])
    small = "--small" in sys.argv[2:]
    with tempfile.TemporaryDirectory() as work:
        os.chdir(work)
        for name, kind, make, count, targets in SHAPES:
            source = f"in.{kind}"
            amount = max(count // 100, 10) if small else count
            # In a process of its own: the memory of a child counts what its parent held.
            subprocess.check_call(
                [sys.executable, os.path.join(HERE, "shapes.py"), "--make", make.__name__, str(amount), source])
            size = os.path.getsize(source)
            print(f"{name} ({amount:,}; {size / 1e6:.1f} MB)")
            back = [("s.realm", target) for target in targets if target != "realm"]
            for origin, target in [(source, target) for target in targets] + back:
                if not os.path.exists(origin):
                    continue
                result = "s.realm" if target == "realm" else f"out.{target}"
                command = [rtool, "convert", origin, result, "--force"]
                code, cpu, memory, message = measured(command)
                each = cpu / os.path.getsize(origin) * 1e9
                said = (f"{os.path.getsize(result) / 1e6:.1f} MB" if code == 0
                        else f"exit {code}: {message[:150]}")
                print(f"  {origin.split('.')[-1]:>5} to {target:5} {cpu:7.2f} s "
                      f"{memory:6.0f} MiB {each:6.1f} ns/byte  {said}", flush=True)
            for file in os.listdir("."):
                if os.path.isfile(file):
                    os.remove(file)


if __name__ == "__main__":
    main()
