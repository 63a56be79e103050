#!/usr/bin/env python3
"""Jobs of Python libraries, to be compared with rtool's: peers.py JOB INPUT OUTPUT

The output is what the library itself writes; the jobs are the usual few lines of its manual.
"""
import json
import sys


def orjson_json(source, target):
    import orjson
    with open(source, "rb") as f:
        data = orjson.loads(f.read())
    with open(target, "wb") as f:
        f.write(orjson.dumps(data))


def polars_csv(source, target):
    import polars
    polars.read_csv(source, infer_schema=False).write_csv(target)


def polars_ndjson(source, target):
    import polars
    polars.read_csv(source, infer_schema=False).write_ndjson(target)


def pyarrow_csv(source, target):
    import pyarrow.csv
    pyarrow.csv.write_csv(
        pyarrow.csv.read_csv(
            source, parse_options=pyarrow.csv.ParseOptions(newlines_in_values=True)), target)


def duckdb_csv(source, target):
    import duckdb
    duckdb.sql(f"copy (from read_csv('{source}', all_varchar=true, parallel=false)) "
               f"to '{target}' (header)")


def duckdb_ndjson(source, target):
    import duckdb
    duckdb.sql(f"copy (from read_csv('{source}', all_varchar=true, parallel=false)) "
               f"to '{target}' (format json)")


def csvkit_csv(source, target):
    from csvkit.utilities.csvcut import CSVCut
    with open(target, "w") as f:
        CSVCut([source], output_file=f).run()


def vobject_vcard(source, target):
    import vobject
    with open(source, newline="") as f, open(target, "w") as out:
        for card in vobject.readComponents(f.read()):
            out.write(card.serialize(validate=False))


def icalendar_ical(source, target):
    import icalendar
    with open(source, "rb") as f:
        calendar = icalendar.Calendar.from_ical(f.read())
    with open(target, "wb") as out:
        out.write(calendar.to_ical())


def csv_csv(source, target):
    import csv
    with open(source, newline="") as f, open(target, "w", newline="") as out:
        csv.writer(out).writerows(csv.reader(f))


def json_json(source, target):
    with open(source) as f, open(target, "w") as out:
        json.dump(json.load(f), out, ensure_ascii=False)


if __name__ == "__main__":
    globals()[sys.argv[1]](sys.argv[2], sys.argv[3])
