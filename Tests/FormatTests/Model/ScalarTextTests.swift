import Testing

@testable import Formats

@Suite("Scalar text") struct ScalarTextTests {
    @Test(arguments: [
        0, 7, -7, 10, 99, 100, 12345, -1_000_000, Int64.max, Int64.min, Int64.min + 1,
    ])
    func intsKeepAllTheirDigits(_ value: Int64) {
        #expect(text { ScalarText.write(value, to: $0) } == String(value))
        #expect(bytes(String(value)) { ScalarText.int($0) } == value)
    }

    @Test(arguments: ["", "-", "1x", "9223372036854775808", "-9223372036854775809", " 1", "1.0"])
    func otherTextIsNoInt(_ text: String) {
        #expect(bytes(text) { ScalarText.int($0) } == nil)
    }

    @Test func doublesReadBackAsTheSameBits() {
        var random = SeededGenerator(1)
        var values: [Double] = [
            0, -0.0, 1, 0.1, 1e15, 1e16, 1e22, 1e23, .leastNonzeroMagnitude, 1.5e300, 123456.75,
        ]
        for _ in 0..<20_000 { values.append(Double(bitPattern: random.next())) }
        for _ in 0..<20_000 { values.append(Double(Int64.random(in: -99999...99999)) / 1000) }
        for value in values where value.isFinite {
            let spelled = text { ScalarText.write(double: value, to: $0) }
            let back = bytes(spelled) { ScalarText.double($0) }
            #expect(back?.bitPattern == value.bitPattern, "\(spelled)")
        }
    }

    @Test func floatsReadBackAsTheSameBits() {
        var random = SeededGenerator(2)
        for _ in 0..<20_000 {
            let value = Float(bitPattern: UInt32(truncatingIfNeeded: random.next()))
            guard value.isFinite else { continue }
            let spelled = text { ScalarText.write(float: value, to: $0) }
            #expect(bytes(spelled) { ScalarText.float($0) }?.bitPattern == value.bitPattern)
        }
    }

    @Test(arguments: [
        ("1.5", 1.5), ("-0", -0.0), ("1e3", 1000), ("1E-3", 0.001), (".5", 0.5), ("5.", 5),
        ("0.1e1", 1),
    ])
    func doublesInOtherSpellings(_ spelled: String, _ value: Double) {
        #expect(bytes(spelled) { ScalarText.double($0) }?.bitPattern == value.bitPattern)
    }

    @Test(arguments: ["", ".", "e5", "1e", "1e+", "0x10", "nan", "inf", "1e999", "1 ", "--1"])
    func otherTextIsNoDouble(_ spelled: String) {
        #expect(bytes(spelled) { ScalarText.double($0) } == nil)
    }

    @Test(arguments: [
        (0, 0, "1970-01-01T00:00:00Z"), (-1, -500_000_000, "1969-12-31T23:59:58.5Z"),
        (0, -1, "1969-12-31T23:59:59.999999999Z"),
        (1_460_622_777, 123_456_789, "2016-04-14T08:32:57.123456789Z"),
        (-62_135_596_800, 0, "0001-01-01T00:00:00Z"), (253_402_300_799, 0, "9999-12-31T23:59:59Z"),
        (951_782_400, 10_000_000, "2000-02-29T00:00:00.01Z"),
    ])
    func datesReadBack(_ seconds: Int64, _ nanoseconds: Int32, _ spelled: String) {
        let date = Timestamp(seconds: seconds, nanoseconds: nanoseconds)
        #expect(text { _ = ScalarText.write(date: date, to: $0) } == spelled)
        #expect(bytes(spelled) { ScalarText.date($0) } == date)
    }

    @Test(arguments: [
        ("2016-04-14 08:32Z", 1_460_622_720), ("20160414T083200Z", 1_460_622_720),
        ("2016-04-14T10:32:00+02:00", 1_460_622_720), ("2016-04-14T06:02:00-0230", 1_460_622_720),
    ])
    func datesInOtherSpellings(_ spelled: String, _ seconds: Int64) {
        #expect(bytes(spelled) { ScalarText.date($0) } == Timestamp(seconds: seconds))
    }

    @Test(arguments: [
        "2016-02-30T00:00:00Z", "2016-04-14", "2016-04-14T08:32", "2016-04-14T08:32:57", "x",
        "2016-04-14T25:00:00Z", "2016-04-14T08:32:57.Z", "2016-04-14T08:32:57.1234567891Z",
    ])
    func otherTextIsNoDate(_ spelled: String) {
        #expect(bytes(spelled) { ScalarText.date($0) } == nil)
    }

    @Test(arguments: [
        Timestamp(seconds: .max), Timestamp(seconds: .min, nanoseconds: -1),
        Timestamp(seconds: 253_402_300_800), Timestamp(seconds: -62_135_596_800, nanoseconds: -1),
        Timestamp(seconds: 1, nanoseconds: -1),
    ])
    func datesOutsideTextAreNotWritten(_ date: Timestamp) {
        #expect(text { _ = ScalarText.write(date: date, to: $0) }.isEmpty)
    }

    @Test(arguments: [
        "0", "1", "-1", "0.1", "0.000001", "1E-7", "1.0", "100", "1E+2", "-0", "0E+3", "0.00",
        "9.999999999999999999999999999999999E+6144", "1E-6176", "NaN", "Infinity", "-Infinity",
        "1234567890123456789012345678901234", "0.001234567890123456789012345678901234",
    ])
    func decimalsKeepDigitsExponentAndSign(_ spelled: String) {
        let value = bytes(spelled) { ScalarText.decimal($0) }
        #expect(value.map { v in text { ScalarText.write(v, to: $0) } } == spelled)
        #expect(value?.isCanonical == true)
    }

    @Test(arguments: [
        "", "-", ".", "1e", "abc", "12345678901234567890123456789012345", "1E+7000", "1E-7000",
        "0x1", "Infinit", "--1",
    ])
    func otherTextIsNoDecimal(_ spelled: String) {
        #expect(bytes(spelled) { ScalarText.decimal($0) } == nil)
    }

    @Test func idsReadBack() {
        let id = ObjectID(high: 0x570f_4b9d_5a3c_2e00, low: 0x01a1_b2c3)
        #expect(text { ScalarText.write(id, to: $0) } == "570f4b9d5a3c2e0001a1b2c3")
        #expect(bytes("570F4b9d5a3c2e0001a1b2c3") { ScalarText.objectID($0) } == id)
        let uuid = UUID(high: 0x0123_4567_89ab_cdef, low: 0xfedc_ba98_7654_3210)
        #expect(text { ScalarText.write(uuid, to: $0) } == "01234567-89ab-cdef-fedc-ba9876543210")
        #expect(bytes("01234567-89AB-cdef-fedc-ba9876543210") { ScalarText.uuid($0) } == uuid)
    }

    @Test func base64ReadsBackAtEveryLength() {
        for count in 0..<40 {
            let data = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 37 + 200) }
            let spelled = text { out in
                data.withUnsafeBytes { ScalarText.write(base64: $0, to: out) }
            }
            let out = RawVector<UInt8>()
            defer { out.destroy() }
            #expect(bytes(spelled) { ScalarText.base64($0, into: out) })
            #expect(Array(out.elements) == data)
        }
    }

    @Test(arguments: ["A", "AA=", "A===", "AA==A", "A*==", "====="])
    func otherTextIsNoBase64(_ spelled: String) {
        let out = RawVector<UInt8>()
        defer { out.destroy() }
        #expect(!bytes(spelled) { ScalarText.base64($0, into: out) })
        #expect(out.isEmpty)
    }

    @Test func everyDayOfManyYearsReadsBack() {
        for day in stride(from: -800_000, through: 3_000_000, by: 97) {
            #expect(CivilDate(daysSince1970: day).daysSince1970 == day)
            #expect(CivilDate(daysSince1970: day).isValid)
        }
    }
}
