#!/usr/bin/env python3
"""Writes Sources/Formats/Bytes/Charsets/CharsetData.swift from Python's own codecs.

A table is a list of code points by pointer (the position in the charset's plane), 0 where nothing
is assigned. It is packed as numbers of 7 bits a byte, low bits first, high bit = more follows:
  0, n          n unassigned pointers
  1 + zigzag(c - previous - 1)   one code point
and the bytes are spelt in base64 without padding.

    python3 Scripts/make-charsets.py > Sources/Formats/Bytes/Charsets/CharsetData.swift
"""
import base64
import sys

SINGLE = [  # WHATWG name, Python codec
    ("windows-874", "cp874"), ("windows-1250", "cp1250"), ("windows-1251", "cp1251"),
    ("windows-1252", "cp1252"), ("windows-1253", "cp1253"), ("windows-1254", "cp1254"),
    ("windows-1255", "cp1255"), ("windows-1256", "cp1256"), ("windows-1257", "cp1257"),
    ("windows-1258", "cp1258"),
    ("iso-8859-2", "iso8859_2"), ("iso-8859-3", "iso8859_3"), ("iso-8859-4", "iso8859_4"),
    ("iso-8859-5", "iso8859_5"), ("iso-8859-6", "iso8859_6"), ("iso-8859-7", "iso8859_7"),
    ("iso-8859-8", "iso8859_8"), ("iso-8859-10", "iso8859_10"), ("iso-8859-13", "iso8859_13"),
    ("iso-8859-14", "iso8859_14"), ("iso-8859-15", "iso8859_15"), ("iso-8859-16", "iso8859_16"),
    ("koi8-r", "koi8_r"), ("koi8-u", "koi8_u"),
    ("macintosh", "mac_roman"), ("x-mac-ce", "mac_latin2"), ("x-mac-cyrillic", "mac_cyrillic"),
    ("x-mac-croatian", "mac_croatian"), ("x-mac-greek", "mac_greek"),
    ("x-mac-icelandic", "mac_iceland"), ("x-mac-romanian", "mac_romanian"),
    ("x-mac-turkish", "mac_turkish"),
    ("ibm437", "cp437"), ("ibm850", "cp850"), ("ibm852", "cp852"), ("ibm855", "cp855"),
    ("ibm857", "cp857"), ("ibm858", "cp858"), ("ibm866", "cp866"),
]


def one(raw, codec):
    """The code point a byte sequence stands for, 0 for none or more than one."""
    try:
        text = raw.decode(codec)
    except UnicodeDecodeError:
        return 0
    return ord(text) if len(text) == 1 else 0


def single(name, codec):
    table = [one(bytes([b]), codec) for b in range(128, 256)]
    if name.startswith("windows-"):  # the web's reading: gaps among 80-9F are C1 controls
        table = [c or (0x80 + i if i < 32 else 0) for i, c in enumerate(table)]
    if name == "koi8-u":
        table[0xAE - 128], table[0xBE - 128] = 0x45E, 0x40E
    return table


def jis0208():
    table = []
    for pointer in range(60 * 188):
        lead, trail = divmod(pointer, 188)
        lead += 0x81 if lead < 0x1F else 0xC1
        trail += 0x40 if trail < 0x3F else 0x41
        table.append(one(bytes([lead, trail]), "cp932"))
    return table


def jis0212():
    return [one(bytes([0x8F, 0xA1 + p // 94, 0xA1 + p % 94]), "euc_jp") for p in range(94 * 94)]


def gbk():
    table = []
    for pointer in range(126 * 190):
        lead, trail = divmod(pointer, 190)
        table.append(one(bytes([lead + 0x81, trail + (0x40 if trail < 0x3F else 0x41)]), "gb18030"))
    return table


def gb18030_ranges():
    """(linear position of the four bytes, code point) where a new run of the BMP begins."""
    ranges, expected = [], None
    for c in range(0x80, 0x10000):
        if 0xD800 <= c < 0xE000:
            continue
        raw = chr(c).encode("gb18030")
        if len(raw) != 4:
            continue
        a, b, d, e = raw
        linear = (((a - 0x81) * 10 + b - 0x30) * 126 + d - 0x81) * 10 + e - 0x30
        if expected != (linear, c):
            ranges.append((linear, c))
        expected = (linear + 1, c + 1)
    return ranges


def big5():
    table = []
    for pointer in range(126 * 157):
        lead, trail = divmod(pointer, 157)
        raw = bytes([lead + 0x81, trail + (0x40 if trail < 0x3F else 0x62)])
        c = one(raw, "cp950")
        if 0xE000 <= c < 0xF900 or c == 0:
            c = one(raw, "big5hkscs")
        table.append(c)
    return table


def euckr():
    return [one(bytes([0x81 + p // 190, 0x41 + p % 190]), "cp949") for p in range(126 * 190)]


def number(n):
    out = bytearray()
    while n >= 128:
        out.append(n & 127 | 128)
        n >>= 7
    out.append(n)
    return out


def zigzag(n):
    return n * 2 if n >= 0 else -n * 2 - 1


def pack(table):
    out, previous, gap = bytearray(), 0, 0
    while table and table[-1] == 0:
        table = table[:-1]
    for c in table:
        if c == 0:
            gap += 1
            continue
        if gap:
            out += number(0) + number(gap)
            gap = 0
        out += number(1 + zigzag(c - previous - 1))
        previous = c
    return base64.b64encode(bytes(out)).decode().rstrip("=")


def literal(name, text):
    print(f"    static let {name}: StaticString =")
    if len(text) <= 80:
        print(f'        "{text}"\n')
        return
    print('        """')
    for at in range(0, len(text), 88):
        end = "\\" if at + 88 < len(text) else ""
        print(f"        {text[at:at + 88]}{end}")
    print('        """\n')


def main():
    print("// Written by Scripts/make-charsets.py; do not edit. Code points by pointer, packed as that script")
    print("// says; `CharsetTable` unpacks them.")
    print("//")
    print("// swift-format-ignore-file\n")
    print("enum CharsetData {")
    print("    static let single: [(name: String, table: StaticString)] = [")
    for name, codec in SINGLE:
        ident = name.replace("-", "_")
        print(f'        ("{name}", {ident}),')
    print("    ]\n")
    for name, codec in SINGLE:
        literal(name.replace("-", "_"), pack(single(name, codec)))
    literal("jis0208", pack(jis0208()))
    literal("jis0212", pack(jis0212()))
    literal("gbk", pack(gbk()))
    literal("big5", pack(big5()))
    literal("euckr", pack(euckr()))
    ranges = gb18030_ranges()
    print("    /// Linear positions and code points where runs of four-byte GB 18030 begin.")
    flat = ", ".join(f"{a}, {c}" for a, c in ranges)
    print("    static let gb18030Ranges: [UInt32] = [")
    words = flat.split(", ")
    for at in range(0, len(words), 12):
        print("        " + ", ".join(words[at:at + 12]) + ",")
    print("    ]")
    print("}")


main()
