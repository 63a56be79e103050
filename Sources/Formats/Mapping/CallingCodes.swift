// How numbers are dialled in each country: facts of numbering plans (ITU-T E.164 and E.129), as a
// table of text. What a given number becomes is for `PhoneNumber`.

/// A country's way to dial.
struct DiallingPlan: Sendable {
    /// The country's calling code.
    var code: [UInt8]
    /// What goes before numbers of other countries.
    var international: [[UInt8]]
    /// What goes before the numbers of the own country.
    var trunks: [[UInt8]]
    /// How many digits a number has behind it.
    var lengths: ClosedRange<Int>
    /// How many a number has that is dialled without anything before it; nil where it would be
    /// one of the own town only.
    var bare: ClosedRange<Int>?
}

/// The countries by their two letters, and the calling codes.
enum CallingCodes {
    /// A country's plan; nil for unknown letters.
    static func plan(_ region: String) -> DiallingPlan? {
        plans[region.uppercased()]
    }

    /// The length of the calling code that digits begin with; nil where none does.
    static func codeLength(_ digits: ArraySlice<UInt8>) -> Int? {
        for length in 1...3 where digits.count > length {
            if codes.contains(Array(digits.prefix(length))) { return length }
        }
        return nil
    }

    /// Whether the numbers of a code never begin with 0, which is only dialled inside.
    static func dropsZero(_ code: ArraySlice<UInt8>) -> Bool { zeroCodes.contains(Array(code)) }

    /// Whether 0 at the head of a number belongs to it, which is then dialled from everywhere.
    static func keepsZero(_ code: ArraySlice<UInt8>) -> Bool {
        ["39", "378", "225", "229", "242"].contains { code.elementsEqual($0.utf8) }
    }

    /// The plan of a calling code.
    static func plan(code: ArraySlice<UInt8>) -> DiallingPlan? { plansByCode[Array(code)] }

    /// What may stand in brackets before a number: in Belarus a tone came between two digits.
    static func trunks(_ plan: DiallingPlan) -> [[UInt8]] {
        plan.code.elementsEqual("375".utf8) ? plan.trunks + [[0x38]] : plan.trunks
    }

    /// Whether digits without anything before them are a whole number. In Italy and San Marino
    /// those of a town begin with 0 and those of mobiles with a digit of theirs; others are short.
    static func isWhole(_ digits: ArraySlice<UInt8>, _ code: [UInt8]) -> Bool {
        let first = digits.first ?? 0
        switch String(decoding: code, as: UTF8.self) {
        case "39": return first == 0x30 || (first == 0x33 || first == 0x38) && digits.count >= 9
        case "378": return first == 0x30 || first == 0x36 && digits.count >= 8
        default: return true
        }
    }

    private static let plansByCode: [[UInt8]: DiallingPlan] = Dictionary(
        plans.sorted { $0.key < $1.key }.map { ($0.value.code, $0.value) },
        uniquingKeysWith: { first, _ in first })

    private static let plans: [String: DiallingPlan] = {
        var plans: [String: DiallingPlan] = [:]
        for line in table.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count == 6 else { continue }
            let plan = DiallingPlan(
                code: Array(words[1].utf8), international: prefixes(words[2]),
                trunks: prefixes(words[3]), lengths: range(words[4]) ?? 4...12,
                bare: range(words[5]))
            for region in words[0].split(separator: ",") { plans[String(region)] = plan }
        }
        return plans
    }()

    private static let codes: Set<[UInt8]> = Set(
        plans.values.map(\.code) + others.split(separator: " ").map { Array($0.utf8) })

    private static let zeroCodes: Set<[UInt8]> = {
        var keeping: Set<[UInt8]> = []
        var dropping: Set<[UInt8]> = []
        for plan in plans.values {
            if plan.trunks.contains([0x30]) {
                dropping.insert(plan.code)
            } else {
                keeping.insert(plan.code)
            }
        }
        return dropping.subtracting(keeping)
    }()

    private static func prefixes(_ text: Substring) -> [[UInt8]] {
        text == "-" ? [] : text.split(separator: "/").map { Array($0.utf8) }
    }

    private static func range(_ text: Substring) -> ClosedRange<Int>? {
        let ends = text.split(separator: "-").compactMap { Int($0) }
        guard let first = ends.first, let last = ends.last, first <= last else { return nil }
        return first...last
    }

    /// Codes of no country, and of places without a line of their own.
    private static let others =
        "247 290 500 508 670 672 683 690 800 808 850 870 878 881 882 883 888 979"

    /// Countries, code, prefix for other countries, prefix inside, digits behind it, and digits of
    /// numbers without it.
    private static let table = """
        AD 376 00 - 6-9 6-9
        AL 355 00 0 6-9 -
        AT 43 00 0 4-13 -
        BA 387 00 0 8-9 -
        BE 32 00 0 8-9 -
        BG 359 00 0 7-9 -
        BY 375 810 80/0 9-9 -
        CH 41 00 0 9-9 -
        CY 357 00 - 8-8 8-8
        CZ 420 00 - 9-9 9-9
        DE 49 00 0 6-13 -
        DK 45 00 - 8-8 8-8
        EE 372 00 - 7-8 7-8
        ES 34 00 - 9-9 9-9
        FI,AX 358 00 0 5-12 -
        FO 298 00 - 6-6 6-6
        FR 33 00 0 9-9 -
        GB,GG,IM,JE 44 00 0 9-10 -
        GI 350 00 - 8-8 8-8
        GR 30 00 - 10-10 10-10
        HR 385 00 0 8-9 -
        HU 36 00 06 8-9 -
        IE 353 00 0 7-9 -
        IS 354 00 - 7-7 7-7
        IT,VA 39 00 - 6-11 6-11
        LI 423 00 - 7-7 7-7
        LT 370 00 8/0 8-8 -
        LU 352 00 - 6-11 6-11
        LV 371 00 - 8-8 8-8
        MC 377 00 - 8-9 8-9
        MD 373 00 0 8-8 -
        ME 382 00 0 8-9 -
        MK 389 00 0 8-8 -
        MT 356 00 - 8-8 8-8
        NL 31 00 0 9-9 -
        NO,SJ 47 00 - 8-8 8-8
        PL 48 00 - 9-9 9-9
        PT 351 00 - 9-9 9-9
        RO 40 00 0 9-9 -
        RS 381 00 0 7-10 -
        RU 7 810 8 10-10 10-10
        SE 46 00 0 7-10 -
        SI 386 00 0 8-8 -
        SK 421 00 0 9-9 -
        SM 378 00 - 6-10 6-10
        TR 90 00 0 10-10 10-10
        UA 380 00 0 9-9 -
        XK 383 00 0 8-9 -
        US,CA,AG,AI,AS,BB,BM,BS,DM,DO,GD,GU,JM,KN,KY,LC,MP,MS,PR,SX,TC,TT,VC,VG,VI 1 011 1 10-10 10-10
        AR 54 00 0 10-10 10-10
        AW 297 00 - 7-7 7-7
        BO 591 00 0 8-8 8-8
        BR 55 00 0 10-11 10-11
        BZ 501 00 - 7-7 7-7
        CL 56 00 - 9-9 9-9
        CO 57 00 - 10-10 10-10
        CR 506 00 - 8-8 8-8
        CU 53 119 0 8-8 -
        CW,BQ 599 00 - 7-8 7-8
        EC 593 00 0 8-9 -
        GF 594 00 0 9-9 -
        GL 299 00 - 6-6 6-6
        GP,BL,MF 590 00 0 9-9 -
        GT 502 00 - 8-8 8-8
        GY 592 001 - 7-7 7-7
        HN 504 00 - 8-8 8-8
        HT 509 00 - 8-8 8-8
        MQ 596 00 0 9-9 -
        MX 52 00 01 10-10 10-10
        NI 505 00 - 8-8 8-8
        PA 507 00 - 7-8 7-8
        PE 51 00 0 8-9 9-9
        PY 595 00 0 7-9 -
        RE,YT 262 00 0 9-9 -
        SR 597 00 - 6-7 6-7
        SV 503 00 - 8-8 8-8
        UY 598 00 0 8-8 8-8
        VE 58 00 0 10-10 10-10
        AE 971 00 0 8-9 -
        AF 93 00 0 9-9 -
        AM 374 00 0 8-8 -
        AZ 994 00 0 9-9 -
        BD 880 00 0 8-10 -
        BH 973 00 - 8-8 8-8
        BN 673 00 - 7-7 7-7
        BT 975 00 - 7-8 7-8
        CN 86 00 0 9-12 11-11
        GE 995 00 0 9-9 9-9
        HK 852 001 - 8-8 8-8
        ID 62 001/007/008 0 8-12 -
        IL 972 00 0 8-9 -
        IN 91 00 0 10-10 10-10
        IQ 964 00 0 8-10 -
        IR 98 00 0 10-10 -
        JO 962 00 0 8-9 -
        JP 81 010 0 9-10 -
        KG 996 00 0 9-9 -
        KH 855 001/007/008 0 8-9 -
        KR 82 001/002/00 0 8-11 -
        KW 965 00 - 8-8 8-8
        KZ 7 810 8 10-10 10-10
        LA 856 00 0 8-10 -
        LB 961 00 0 7-8 -
        LK 94 00 0 9-9 -
        MM 95 00 0 7-10 -
        MN 976 001 - 8-8 8-8
        MO 853 00 - 8-8 8-8
        MV 960 00 - 7-7 7-7
        MY 60 00 0 8-10 -
        NP 977 00 0 8-10 10-10
        OM 968 00 - 8-8 8-8
        PH 63 00 0 8-10 -
        PK 92 00 0 9-10 -
        PS 970 00 0 8-9 -
        QA 974 00 - 8-8 8-8
        SA 966 00 0 8-9 -
        SG 65 001/002/008 - 8-8 8-8
        SY 963 00 0 8-9 -
        TH 66 001 0 8-9 -
        TJ 992 810 - 9-9 9-9
        TM 993 810 8 8-8 8-8
        TW 886 002 0 8-9 -
        UZ 998 00 - 9-9 9-9
        VN 84 00 0 9-10 -
        YE 967 00 0 7-9 -
        AU 61 0011 0 9-9 -
        CK 682 00 - 5-5 5-5
        FJ 679 00 - 7-7 7-7
        FM 691 011 - 7-7 7-7
        KI 686 00 - 8-8 8-8
        MH 692 011 1 7-7 7-7
        NC 687 00 - 6-6 6-6
        NR 674 00 - 7-7 7-7
        NZ 64 00 0 8-10 -
        PF 689 00 - 8-8 8-8
        PG 675 00 - 7-8 7-8
        PW 680 011 - 7-7 7-7
        SB 677 00 - 5-7 5-7
        TO 676 00 - 5-7 5-7
        TV 688 00 - 5-7 5-7
        VU 678 00 - 5-7 5-7
        WF 681 00 - 6-6 6-6
        WS 685 00 - 5-7 5-7
        AO 244 00 - 9-9 9-9
        BF 226 00 - 8-8 8-8
        BI 257 00 - 8-8 8-8
        BJ 229 00 - 8-10 8-10
        BW 267 00 - 7-8 7-8
        CD 243 00 0 9-9 -
        CF 236 00 - 8-8 8-8
        CG 242 00 - 9-9 9-9
        CI 225 00 - 10-10 10-10
        CM 237 00 - 9-9 9-9
        CV 238 00 - 7-7 7-7
        DJ 253 00 - 8-8 8-8
        DZ 213 00 0 8-9 -
        EG 20 00 0 8-10 -
        ER 291 00 0 7-7 -
        ET 251 00 0 9-9 -
        GA 241 00 0 7-8 -
        GH 233 00 0 9-9 -
        GM 220 00 - 7-7 7-7
        GN 224 00 - 9-9 9-9
        GQ 240 00 - 9-9 9-9
        GW 245 00 - 9-9 9-9
        KE 254 000 0 9-9 -
        KM 269 00 - 7-7 7-7
        LR 231 00 0 7-9 -
        LS 266 00 - 8-8 8-8
        LY 218 00 0 9-9 -
        MA 212 00 0 9-9 -
        MG 261 00 0 9-9 -
        ML 223 00 - 8-8 8-8
        MR 222 00 - 8-8 8-8
        MU 230 00 - 7-8 7-8
        MW 265 00 0 7-9 -
        MZ 258 00 - 8-9 8-9
        NA 264 00 0 8-9 -
        NE 227 00 - 8-8 8-8
        NG 234 009 0 8-10 -
        RW 250 00 0 9-9 -
        SC 248 00 - 7-7 7-7
        SD 249 00 0 9-9 -
        SL 232 00 0 8-8 -
        SN 221 00 - 9-9 9-9
        SO 252 00 0 7-9 -
        SS 211 00 0 9-9 -
        ST 239 00 - 7-7 7-7
        SZ 268 00 - 8-8 8-8
        TD 235 00 - 8-8 8-8
        TG 228 00 - 8-8 8-8
        TN 216 00 - 8-8 8-8
        TZ 255 000 0 9-9 -
        UG 256 000 0 9-9 -
        ZA 27 00 0 9-9 -
        ZM 260 00 0 9-9 -
        ZW 263 00 0 8-9 -
        """
}
