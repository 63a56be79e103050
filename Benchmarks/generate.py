#!/usr/bin/env python3
"""Makes benchmark inputs: the same bytes for the same arguments, on every machine.

usage: generate.py KIND ROWS > FILE

KIND: mycontacts  CSV of three columns          people   vCard 3.0 as Apple's programs write it
      google      CSV of Google's 40 columns    tasks    iCalendar to-dos
      contacts    JSON array of nested objects  todos    CSV of eight columns
The first rows of a longer file are those of a shorter one.
"""
import base64
import json
import sys

GIVEN = ("Maja Tomás Jürgen Olga Иван 花子 James Fatima Søren Łukasz Ágnes Noah 지우 Δημήτρης "
         "Susan Anna Peter Lucía").split()
FAMILY = ("Lindqvist Ortega Müller Okafor Петрова 田中 O'Brien Haddad Sjöström Kowalczyk Nagy Lee "
          "김 Παπάς Smith Berg St.Clair").split()
WORDS = ("call back about the order met at the fair likes maps ask for the invoice Grüße später "
         "lunch on Friday встреча обед после понедельник 会议 確認 old number neighbour").split()
FIRMS = ["Initech", 'Umbrella "Health" GmbH', "Café & Söhne", "Globex, Inc.", "株式会社例"]
ROLES = ["Teacher", "Chargé d'affaires", "Engineer; Systems", "Nurse", "Florist"]
CITIES = [("Umeå", "90325", "Sweden"), ("München", "80331", "Germany"), ("Lyon", "69001", "France")]
PHOTO = base64.b64encode(bytes((i * 7919 >> 3) & 255 for i in range(3000))).decode()


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

    def of(self, values):
        return values[self.below(len(values))]

    def hexadecimal(self, digits):
        return "".join("0123456789abcdef"[self.below(16)] for _ in range(digits))

    def text(self, most):
        return " ".join(self.of(WORDS) for _ in range(self.below(most) + 1))

    def stamp(self):
        return (2015 + self.below(11), self.below(12) + 1, self.below(28) + 1,
                self.below(24), self.below(60), self.below(60))


def phone(r):
    d = f"{r.below(10 ** 9):09d}"
    return r.of([f"+46 {d[:3]} {d[3:6]} {d[6:]}", f"({d[:3]}) {d[3:6]}-{d[6:]}", "+1" + d])


def person(i):
    """One contact; the same for every kind of file."""
    r = Random(1000 + i)
    p = {"given": r.of(GIVEN), "middle": r.of(GIVEN) if r.below(5) == 0 else "",
         "family": r.of(FAMILY), "uid": r.hexadecimal(32), "rev": r.stamp()}
    p["full"] = " ".join(x for x in (p["given"], p["middle"], p["family"]) if x)
    p["firm"] = (r.of(FIRMS), r.of(["R&D", "", "Sales"]), r.of(ROLES)) if r.below(2) else None
    p["emails"] = [f"user{i}.{r.below(1000)}@{r.of(['example.com', 'post.example.de'])}"
                   for _ in range(r.below(3) + 1)]
    p["phones"] = [(r.of(["CELL", "HOME", "WORK", "FAX"]), phone(r)) for _ in range(r.below(3) + 1)]
    p["address"] = (f"Main St {r.below(300)}",) + r.of(CITIES) if r.below(2) else None
    p["birthday"] = r.stamp()[:3] if r.below(3) == 0 else None
    p["note"] = r.text(14) if r.below(3) == 0 else ""
    p["url"] = f"https://www.example.com/people/{i}?ref={r.below(9000)}" if r.below(3) == 0 else ""
    p["photo"] = i % 50 == 49
    return p


def fold(line):
    data = line.encode()
    if len(data) <= 75:
        return line
    out, start = [], 0
    while start < len(data):
        end = min(start + (75 if start == 0 else 74), len(data))
        while end < len(data) and data[end] & 0xC0 == 0x80:
            end -= 1
        out.append(data[start:end].decode())
        start = end
    return "\r\n ".join(out)


def escape(text):
    for c in "\\;,":
        text = text.replace(c, "\\" + c)
    return text


def people(rows, out):
    for i in range(rows):
        p = person(i)
        lines = ["BEGIN:VCARD", "VERSION:3.0", "PRODID:-//Apple Inc.//macOS 14.5//EN",
                 f"N:{p['family']};{p['given']};{p['middle']};;", f"FN:{p['full']}"]
        if p["firm"]:
            lines += [f"ORG:{escape(p['firm'][0])};{escape(p['firm'][1])}",
                      f"TITLE:{escape(p['firm'][2])}"]
        group = 0
        for n, email in enumerate(p["emails"]):
            group += 1
            pref = ";type=pref" if n == 0 else ""
            lines += [f"item{group}.EMAIL;type=INTERNET{pref}:{email}",
                      f"item{group}.X-ABLabel:_$!<Other>!$_"]
        for n, (kind, number) in enumerate(p["phones"]):
            pref = ";type=pref" if n == 0 else ""
            lines.append(f"TEL;type={kind};type=VOICE{pref}:{number}")
        if p["address"]:
            street, city, code, country = p["address"]
            group += 1
            lines += [f"item{group}.ADR;type=HOME;type=pref:;;{street};{city};;{code};{country}",
                      f"item{group}.X-ABADR:se"]
        if p["birthday"]:
            lines.append("BDAY:%04d-%02d-%02d" % p["birthday"])
        if p["note"]:
            lines.append("NOTE:" + escape(p["note"]))
        if p["url"]:
            group += 1
            lines += [f"item{group}.URL;type=pref:{p['url']}",
                      f"item{group}.X-ABLabel:_$!<HomePage>!$_"]
        if p["photo"]:
            lines.append("PHOTO;ENCODING=b;TYPE=JPEG:" + PHOTO)
        lines += ["REV:%04d-%02d-%02dT%02d:%02d:%02dZ" % p["rev"], f"UID:{p['uid']}",
                  f"X-ABUID:{p['uid']}:ABPerson", "END:VCARD"]
        out.write("\r\n".join(fold(line) for line in lines) + "\r\n")


def cell(text):
    if any(c in text for c in ',"\r\n'):
        return '"' + text.replace('"', '""') + '"'
    return text


GOOGLE = ("First Name,Middle Name,Last Name,Phonetic First Name,Phonetic Middle Name,"
          "Phonetic Last Name,Name Prefix,Name Suffix,Nickname,File As,Organization Name,"
          "Organization Title,Organization Department,Birthday,Notes,Photo,Labels,"
          "E-mail 1 - Label,E-mail 1 - Value,E-mail 2 - Label,E-mail 2 - Value,E-mail 3 - Label,"
          "E-mail 3 - Value,Phone 1 - Label,Phone 1 - Value,Phone 2 - Label,Phone 2 - Value,"
          "Phone 3 - Label,Phone 3 - Value,Address 1 - Label,Address 1 - Formatted,"
          "Address 1 - Street,Address 1 - City,Address 1 - PO Box,Address 1 - Region,"
          "Address 1 - Postal Code,Address 1 - Country,Address 1 - Extended Address,"
          "Website 1 - Label,Website 1 - Value")


def google(rows, out):
    out.write(GOOGLE + "\r\n")
    for i in range(rows):
        p = person(i)
        firm = p["firm"] or ("", "", "")
        row = [p["given"], p["middle"], p["family"]] + [""] * 7 + [firm[0], firm[2], firm[1]]
        row += ["%04d-%02d-%02d" % p["birthday"] if p["birthday"] else "", p["note"], "",
                "* myContacts"]
        emails = [("Other", e) for e in p["emails"]] + [("", "")] * 3
        phones = [(k.capitalize(), n) for k, n in p["phones"]] + [("", "")] * 3
        for label, value in emails[:3] + phones[:3]:
            row += [label, value]
        if p["address"]:
            street, city, code, country = p["address"]
            row += ["Home", f"{street}\n{code} {city}\n{country}", street, city, "", "", code,
                    country, ""]
        else:
            row += [""] * 9
        row += ["Profile" if p["url"] else "", p["url"]]
        out.write(",".join(cell(c) for c in row) + "\r\n")


def contacts(rows, out):
    out.write("[\n")
    for i in range(rows):
        p = person(i)
        record = {"id": p["uid"],
                  "name": {"given": p["given"], "family": p["family"], "full": p["full"]}}
        if p["firm"]:
            record["org"] = dict(zip(("name", "unit", "title"), p["firm"]))
        record["phones"] = [{"type": k.lower(), "value": n} for k, n in p["phones"]]
        record["emails"] = [{"type": "other", "value": e} for e in p["emails"]]
        if p["note"]:
            record["note"] = p["note"]
        record["urls"] = [p["url"]] if p["url"] else []
        record["isBuddy"] = i % 8 == 0
        record["rev"] = "%04d-%02d-%02dT%02d:%02d:%02dZ" % p["rev"]
        text = json.dumps(record, ensure_ascii=False, separators=(",", ":"))
        out.write(text + (",\n" if i + 1 < rows else "\n"))
    out.write("]\n")


def mycontacts(rows, out):
    r = Random(1)
    out.write("name,phone,isBuddy\n")
    for _ in range(rows):
        given, family = r.of(GIVEN), r.of(FAMILY)
        middle = " " + r.of(GIVEN) if r.below(5) == 0 else ""
        text = f"{given}{middle} {family}"
        if r.below(40) == 0:
            text = f'"{family}, {given}"'
        number = "" if r.below(10) == 0 else phone(r)
        out.write(f"{text},{number},{'true' if r.below(8) == 0 else 'false'}\n")


def tasks(rows, out):
    out.write("BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//rtool//benchmark//EN\r\n")
    for i in range(rows):
        r = Random(5000 + i)
        stamp = "%04d%02d%02dT%02d%02d%02dZ" % r.stamp()
        lines = ["BEGIN:VTODO", f"UID:{r.hexadecimal(16)}@example.com", f"DTSTAMP:{stamp}",
                 f"CREATED:{stamp}", f"LAST-MODIFIED:{stamp}", "SUMMARY:" + escape(r.text(6))]
        if r.below(3) == 0:
            lines.append("DESCRIPTION:" + escape(r.text(30)))
        kind = r.below(3)
        day = "2026%02d%02d" % (r.below(12) + 1, r.below(28) + 1)
        if kind == 0:
            lines.append(f"DUE;VALUE=DATE:{day}")
        elif kind == 1:
            lines.append(f"DUE;TZID=Europe/Berlin:{day}T{r.below(24):02d}3000")
        if r.below(2):
            lines.append(f"PRIORITY:{r.below(10)}")
        if r.below(2):
            lines.append("CATEGORIES:" + r.of(["choir,neighbours", "friends", "imported 2019"]))
        if r.below(8) == 0:
            lines.append("RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,TH")
        if r.below(3) == 0:
            lines += ["STATUS:COMPLETED", "PERCENT-COMPLETE:100", f"COMPLETED:{stamp}"]
        else:
            lines += ["STATUS:NEEDS-ACTION", f"PERCENT-COMPLETE:{r.below(90)}"]
        lines += [f"X-APPLE-SORT-ORDER:{i * 7}", "END:VTODO"]
        out.write("\r\n".join(fold(line) for line in lines) + "\r\n")
    out.write("END:VCALENDAR\r\n")


def todos(rows, out):
    out.write("id,title,notes,due,priority,done,category,estimate\r\n")
    for i in range(rows):
        r = Random(9000 + i)
        due = "2026-%02d-%02d" % (r.below(12) + 1, r.below(28) + 1) if r.below(2) else ""
        row = [str(i), r.text(6), r.text(12) if r.below(3) == 0 else "", due, str(r.below(4)),
               r.of(["true", "false"]), r.of(["home", "work, urgent", ""]), f"{r.below(90) / 4}"]
        out.write(",".join(cell(c) for c in row) + "\r\n")


KINDS = {f.__name__: f for f in (mycontacts, google, contacts, people, tasks, todos)}

if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in KINDS:
        sys.exit(__doc__)
    sys.stdout.reconfigure(encoding="utf-8", newline="")
    KINDS[sys.argv[1]](int(sys.argv[2]), sys.stdout)
