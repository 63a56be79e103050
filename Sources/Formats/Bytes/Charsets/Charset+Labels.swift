// The names people and programs give to encodings. Compared without case, spaces, `-`, `_`, `:`.

extension Charset {
    /// The charset of a label such as `ISO-8859-1`, `x-sjis` or `cp1251`, nil when unknown.
    package static func named(_ label: String) -> Charset? {
        var key = folded(label)
        guard !key.isEmpty else { return nil }
        if key.hasPrefix("xsun") { key.removeFirst(4) }
        let name = aliases[key] ?? aliases[key.hasPrefix("x") ? String(key.dropFirst()) : key]
        switch name {
        case nil: return nil
        case "utf-8": return .utf8
        case "utf-16le": return .utf16LE
        case "utf-16be": return .utf16BE
        case "shift_jis": return Charset("shift_jis", .shiftJIS)
        case "euc-jp": return Charset("euc-jp", .eucJP)
        case "iso-2022-jp": return Charset("iso-2022-jp", .iso2022JP)
        case "gbk": return Charset("gbk", .gb18030)
        case "gb18030": return Charset("gb18030", .gb18030)
        case "big5": return Charset("big5", .big5)
        case "euc-kr": return Charset("euc-kr", .eucKR)
        case let name?: return singleByte(name)
        }
    }

    /// True for a label of ASCII. Text beyond ASCII under it is in a charset that was not named.
    package static func isASCII(_ label: String) -> Bool {
        ["ascii", "usascii", "ansix341968", "iso646us"].contains(folded(label))
    }

    private static func folded(_ label: String) -> String {
        var key = ""
        for c in label.utf8.prefix(64) {
            switch c {
            case 0x30...0x39, 0x61...0x7A: key.unicodeScalars.append(Unicode.Scalar(c))
            case 0x41...0x5A: key.unicodeScalars.append(Unicode.Scalar(c + 32))
            default: break
            }
        }
        return key
    }

    /// Name and labels, one charset a line; a label without its punctuation.
    private static let labels: [(String, String)] = [
        ("utf-8", "utf8 unicode11utf8 unicode20utf8 utf8bom utf8sig utf8mb4 cp65001"),
        ("utf-16le", "utf16le utf16 unicode ucs2 ucs2le iso10646ucs2 unicodefeff csunicode cp1200"),
        ("utf-16be", "utf16be ucs2be unicodefffe cp1201"),
        (
            "windows-1252",
            "windows1252 cp1252 win1252 ansi latin1 l1 iso88591 88591 iso885911987 isoir100 ibm819 "
                + "cp819 csisolatin1 usascii ascii ansix341968 iso646us cswindows1252 latin"
        ),
        ("windows-874", "windows874 dos874 cp874 iso885911 885911 tis620 iso8859112001"),
        ("windows-1250", "windows1250 cp1250 win1250"),
        ("windows-1251", "windows1251 cp1251 win1251"),
        ("windows-1253", "windows1253 cp1253 win1253"),
        (
            "windows-1254",
            "windows1254 cp1254 win1254 latin5 l5 iso88599 88599 iso885991989 isoir148 csisolatin5"
        ),
        ("windows-1255", "windows1255 cp1255 win1255"),
        ("windows-1256", "windows1256 cp1256 win1256"),
        ("windows-1257", "windows1257 cp1257 win1257"),
        ("windows-1258", "windows1258 cp1258 win1258"),
        ("iso-8859-2", "iso88592 88592 latin2 l2 iso885921987 isoir101 csisolatin2"),
        ("iso-8859-3", "iso88593 88593 latin3 l3 iso885931988 isoir109 csisolatin3"),
        ("iso-8859-4", "iso88594 88594 latin4 l4 iso885941988 isoir110 csisolatin4"),
        ("iso-8859-5", "iso88595 88595 cyrillic iso885951988 isoir144 csisolatincyrillic"),
        (
            "iso-8859-6",
            "iso88596 88596 arabic asmo708 ecma114 iso885961987 isoir127 csisolatinarabic "
                + "iso88596e iso88596i csiso88596e csiso88596i"
        ),
        (
            "iso-8859-7",
            "iso88597 88597 greek greek8 elot928 ecma118 iso885971987 isoir126 csisolatingreek suneugreek"
        ),
        (
            "iso-8859-8",
            "iso88598 88598 hebrew visual iso885981988 isoir138 csisolatinhebrew iso88598e "
                + "csiso88598e iso88598i csiso88598i logical"
        ),
        ("iso-8859-10", "iso885910 885910 latin6 l6 isoir157 csisolatin6 iso8859101992"),
        ("iso-8859-13", "iso885913 885913 latin7 l7"),
        ("iso-8859-14", "iso885914 885914 latin8 l8"),
        ("iso-8859-15", "iso885915 885915 latin9 l9 csisolatin9"),
        ("iso-8859-16", "iso885916 885916 latin10 l10"),
        ("koi8-r", "koi8r koi8 koi cskoi8r cp20866"),
        ("koi8-u", "koi8u koi8ru cp21866"),
        ("macintosh", "macintosh mac macroman csmacintosh cp10000"),
        (
            "x-mac-ce",
            "macce maccentraleurope maccentraleuropean maccenteuro maccentraleurroman maclatin2 "
                + "cp10029"
        ),
        ("x-mac-cyrillic", "maccyrillic macukrainian cp10007"),
        ("x-mac-croatian", "maccroatian cp10082"),
        ("x-mac-greek", "macgreek cp10006"),
        ("x-mac-icelandic", "maciceland macicelandic cp10079"),
        ("x-mac-romanian", "macromania macromanian cp10010"),
        ("x-mac-turkish", "macturkish cp10081"),
        ("ibm437", "ibm437 cp437 437 dos437 oem437 cspc8codepage437"),
        ("ibm850", "ibm850 cp850 850 dos850 oem850 cspc850multilingual"),
        ("ibm852", "ibm852 cp852 852 dos852 cspcp852"),
        ("ibm855", "ibm855 cp855 855 dos855"),
        ("ibm857", "ibm857 cp857 857 dos857"),
        ("ibm858", "ibm858 cp858 858 ibm00858 cp00858"),
        ("ibm866", "ibm866 cp866 866 dos866 csibm866"),
        (
            "shift_jis",
            "shiftjis sjis cp932 ms932 mskanji windows31j csshiftjis cswindows31j ibm943 cp943 "
                + "shiftjis2004 windows932"
        ),
        ("euc-jp", "eucjp ujis cseucpkdfmtjapanese eucjpms cp51932"),
        ("iso-2022-jp", "iso2022jp csiso2022jp jis cp50220 iso2022jp1 iso2022jp2 iso2022jpms"),
        (
            "gbk",
            "gbk gb2312 chinese csgb2312 csiso58gb231280 gb23121980 gb231280 isoir58 cp936 ms936 "
                + "windows936 euccn"
        ),
        ("gb18030", "gb18030 gb180302000 gb180302005 cp54936"),
        ("big5", "big5 big5hkscs cnbig5 csbig5 xbig5 cp950 windows950 big5eten"),
        (
            "euc-kr",
            "euckr ksc56011987 ksc5601 ksc56011989 korean cseuckr csksc56011987 isoir149 "
                + "windows949 cp949 ms949 uhc"
        ),
    ]

    private static let aliases: [String: String] = {
        var all: [String: String] = [:]
        for (name, line) in labels {
            for label in line.split(separator: " ") { all[String(label)] = name }
        }
        return all
    }()
}
