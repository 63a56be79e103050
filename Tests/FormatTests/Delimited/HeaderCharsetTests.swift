import Testing

@testable import Formats

/// Tables in the encoding of the system of the program that wrote them.
@Suite("encodings by headers") struct HeaderCharsetTests {
    private func names(_ text: String, _ encoding: String, _ context: ExchangeContext) throws
        -> [String]
    {
        let charset = try #require(Charset.named(encoding))
        var bytes: [UInt8] = []
        for scalar in text.unicodeScalars {
            bytes += try #require(Self.encoded(scalar, charset), "\(scalar)")
        }
        return try bookContacts(cardInput(bytes, name: "x.csv"), context, isAsked: true)
            .map { component($0, "names", "given") }
    }

    /// The bytes that decode to a scalar.
    private static func encoded(_ scalar: Unicode.Scalar, _ charset: Charset) -> [UInt8]? {
        if scalar.isASCII { return [UInt8(scalar.value)] }
        let out = RawVector<UInt8>()
        defer { out.destroy() }
        let wanted = Array(String(scalar).utf8)
        func isIt(_ bytes: [UInt8]) -> Bool {
            out.removeAll()
            let replaced = bytes.withUnsafeBytes { charset.decode($0, into: out) }
            return replaced == 0 && out.elements.elementsEqual(wanted)
        }
        for high in UInt8(0x80)...0xFF {
            if isIt([high]) { return [high] }
        }
        for high in UInt8(0x81)...0xFE {
            for low in UInt8(0x40)...0xFE where isIt([high, low]) { return [high, low] }
        }
        return nil
    }

    @Test(arguments: [
        ("windows-1250", "Imię;Nazwisko;E-mail\nŁukasz;Żółć;l@x.test\n", "Łukasz"),
        ("windows-1250", "Jméno,Příjmení,E-mail\nJiří,Šťastný,j@x.test\n", "Jiří"),
        ("windows-1251", "Имя;Фамилия;E-mail\nИван;Петров;i@x.test\n", "Иван"),
        ("koi8-r", "Имя;Фамилия;E-mail\nИван;Петров;i@x.test\n", "Иван"),
        ("ibm866", "Имя;Фамилия;E-mail\nИван;Петров;i@x.test\n", "Иван"),
        ("shift_jis", "\"姓\",\"名\",\"メールアドレス\"\n山田,太郎,y@x.test\n", "太郎"),
        ("euc-jp", "姓,名,メールアドレス\n山田,太郎,y@x.test\n", "太郎"),
        ("gb18030", "姓,名,电子邮件\n王,小明,w@x.test\n", "小明"),
        ("big5", "姓,名,電子郵件\n王,小明,w@x.test\n", "小明"),
        ("windows-1253", "Όνομα;Επώνυμο;E-mail\nΓιώργος;Παπαδόπουλος;g@x.test\n", "Γιώργος"),
        ("macintosh", "Prénom;Nom;E-mail\nFrançois;Lefèvre;f@x.test\n", "François"),
    ])
    func namesInTheirEncodingTellIt(_ encoding: String, _ text: String, _ given: String) throws {
        let context = ExchangeContext()
        #expect(try names(text, encoding, context) == [given])
        let told = context.report.items.filter { $0.code == "charset-guess" }
        #expect(told.map(\.value) == [encoding])
    }

    /// Without such a name it is windows-1252, and in it such a name is one as well.
    @Test(arguments: [
        ("Name,E-mail\nJosé,j@x.test\n", ""), ("Prénom;Nom;E-mail\nJosé;Núñez;j@x.test\n", "José"),
        ("Größe;Vorname\nžlutý;José\n", "José"),
    ])
    func otherwiseNothingChanges(_ text: String, _ given: String) throws {
        let context = ExchangeContext()
        let found = try names(text, "windows-1252", context)
        if !given.isEmpty { #expect(found == [given]) }
        #expect(context.report.items.first { $0.code == "charset-guess" }?.value == "windows-1252")
    }
}
