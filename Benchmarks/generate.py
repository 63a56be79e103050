#!/usr/bin/env python3
"""Makes benchmark inputs: the same bytes for the same arguments, on every machine.

usage: generate.py KIND ROWS > FILE      KIND: mycontacts (CSV), people (vCard 3.0), tasks (iCalendar)
"""
import sys

GIVEN = "Maja Tomás Jürgen Olga Иван 花子 James Fatima Søren Łukasz Ágnes Noah 지우 Δημήτρης".split()
FAMILY = "Lindqvist Ortega Müller Okafor Петрова 田中 O'Brien Haddad Sjöström Kowalczyk Nagy Lee 김 Παπάς".split()
WORDS = "call back about the order met at the fair likes maps ask for the invoice Grüße später".split()


class Random:
    """SplitMix64."""

    def __init__(self, seed):
        self.state = seed

    def below(self, n):
        self.state = (self.state + 0x9E3779B97F4A7C15) & 0xFFFFFFFFFFFFFFFF
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & 0xFFFFFFFFFFFFFFFF
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & 0xFFFFFFFFFFFFFFFF
        return (z ^ (z >> 31)) % n


def name(r):
    middle = (" " + GIVEN[r.below(len(GIVEN))]) if r.below(5) == 0 else ""
    return GIVEN[r.below(len(GIVEN))], middle, FAMILY[r.below(len(FAMILY))]


def phone(r):
    d = f"{r.below(10 ** 9):09d}"
    return [f"+46 {d[:3]} {d[3:6]} {d[6:]}", f"({d[:3]}) {d[3:6]}-{d[6:]}", "+1" + d][r.below(3)]


def mycontacts(rows, out):
    r = Random(1)
    out.write("name,phone,isBuddy\n")
    for _ in range(rows):
        given, middle, family = name(r)
        text = f"{given}{middle} {family}"
        if r.below(40) == 0:
            text = f'"{family}, {given}"'
        number = "" if r.below(10) == 0 else phone(r)
        out.write(f"{text},{number},{'true' if r.below(8) == 0 else 'false'}\n")


def people(rows, out):
    r = Random(2)
    for i in range(rows):
        given, middle, family = name(r)
        lines = ["BEGIN:VCARD", "VERSION:3.0", f"N:{family};{given};{middle.strip()};;",
                 f"FN:{given}{middle} {family}"]
        for _ in range(r.below(3)):
            lines.append(f"TEL;TYPE=CELL:{phone(r)}")
        for _ in range(r.below(3)):
            lines.append(f"EMAIL;TYPE=INTERNET,HOME:user{i}.{r.below(1000)}@example.com")
        if r.below(2):
            lines.append(f"ADR;TYPE=HOME:;;Main St {r.below(300)};Umeå;;{r.below(90000) + 10000};Sweden")
        if r.below(3) == 0:
            lines.append("NOTE:" + " ".join(WORDS[r.below(len(WORDS))] for _ in range(r.below(12) + 1)))
        lines.append("END:VCARD")
        out.write("\r\n".join(lines) + "\r\n")


def tasks(rows, out):
    r = Random(3)
    out.write("BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//rtool//benchmark//EN\r\n")
    for i in range(rows):
        lines = ["BEGIN:VTODO", f"UID:task-{i}@example.com", "DTSTAMP:20260301T080000Z",
                 "SUMMARY:" + " ".join(WORDS[r.below(len(WORDS))] for _ in range(r.below(6) + 1))]
        if r.below(2):
            lines.append(f"DUE;VALUE=DATE:2026{r.below(12) + 1:02d}{r.below(28) + 1:02d}")
        if r.below(3) == 0:
            lines.append("STATUS:COMPLETED")
        lines.append("END:VTODO")
        out.write("\r\n".join(lines) + "\r\n")
    out.write("END:VCALENDAR\r\n")


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in ("mycontacts", "people", "tasks"):
        sys.exit(__doc__)
    sys.stdout.reconfigure(encoding="utf-8", newline="")
    globals()[sys.argv[1]](int(sys.argv[2]), sys.stdout)
