import Testing

@testable import Formats

@Suite("time zones") struct TimeZoneTests {
    static func seconds(_ text: String) -> Int64 { ZoneFixtures.seconds(text) }

    @Test(arguments: [
        ("Europe/Berlin", "Europe/Berlin"), ("europe/berlin", "Europe/Berlin"),
        ("\"Europe/Berlin\"", "Europe/Berlin"),
        ("/softwarestudio.org/Olson_20011030_5/Europe/Berlin", "Europe/Berlin"),
        (
            "/mozilla.org/20070129_1/America/Argentina/Buenos_Aires",
            "America/Argentina/Buenos_Aires"
        ),
        ("W. Europe Standard Time", "Europe/Berlin"), ("W. Europe", "Europe/Berlin"),
        ("Eastern Standard Time", "America/New_York"), ("UTC", "UTC"),
        ("tzone://Microsoft/Utc", "UTC"), ("Eastern Daylight Time", "America/New_York"),
        ("(UTC+01:00) Amsterdam, Berlin, Bern, Rome", "Europe/Amsterdam"),
        ("(GMT+01.00) Sarajevo/Warsaw/Zagreb", "Europe/Sarajevo"),
        ("(UTC-03:00) Buenos Aires", "America/Argentina/Buenos_Aires"),
        ("Coordinated Universal Time", "UTC"), ("UTC+2", "Etc/GMT-2"), ("GMT+0200", "Etc/GMT-2"),
        ("UTC-05:00", "Etc/GMT+5"), ("Kamchatka Standard Time", "Asia/Kamchatka"),
    ]) func namesInAnyDressMeanTheirZone(_ name: String, _ zone: String) {
        #expect(ZoneNames.resolve(name) == zone)
    }

    @Test(arguments: [
        ("Eastern Time (US & Canada)", "America/New_York"),
        ("(UTC-08:00) Pacific Time (US & Canada)", "America/Los_Angeles"),
        ("(UTC-06:00) Central America", "America/Guatemala"),
        ("Amsterdam, Berlin, Bern, Rome, Stockholm, Vienna", "Europe/Amsterdam"),
        ("Greenwich Mean Time: Dublin, Edinburgh, Lisbon, London", "Europe/Dublin"),
    ]) func whatExchangeShowsMeansAZone(_ name: String, _ zone: String) {
        #expect(ZoneNames.resolve(name) == zone)
    }

    @Test(arguments: [
        "CST", "Customized Time Zone", "", "/", "Europe", "x/Berlin", "Mars/Olympus", "(UTC",
        "(UTC-06:00) Central Nowhere", "(UTC) ,/", "A, B", ", ", "UTC+5:30", "UTC+99", "PST",
    ])
    func otherNamesMeanNothing(_ name: String) {
        #expect(ZoneNames.resolve(name) == nil)
    }

    @Test(arguments: [
        ("2026-01-15T12:00:00", 3600), ("2026-07-15T12:00:00", 7200),
        ("2026-03-29T00:59:59", 3600), ("2026-03-29T01:00:00", 7200),
        ("2026-10-25T00:59:59", 7200), ("2026-10-25T01:00:00", 3600),
        ("1980-04-06T00:59:59", 3600), ("1980-04-06T01:00:00", 7200),
        ("1979-07-01T00:00:00", 3600), ("9000-07-01T00:00:00", 7200),
    ]) func offsetsFollowTransitionsAndThenTheRule(_ instant: String, _ offset: Int) throws {
        let berlin = try #require(ZoneFixtures.zone(ZoneFixtures.berlin, "Europe/Berlin"))
        #expect(berlin.offset(at: Self.seconds(instant)) == offset)
    }

    @Test func clocksThatGoForwardSkipAnHour() throws {
        let berlin = try #require(ZoneFixtures.zone(ZoneFixtures.berlin, "Europe/Berlin"))
        #expect(
            berlin.instant(ofLocal: Self.seconds("2026-03-29T02:30:00"))
                == .skipped(Self.seconds("2026-03-29T01:30:00")))
        #expect(
            berlin.instant(ofLocal: Self.seconds("2026-03-29T03:00:00"))
                == .once(Self.seconds("2026-03-29T01:00:00")))
    }

    @Test func clocksThatGoBackShowAnHourTwice() throws {
        let berlin = try #require(ZoneFixtures.zone(ZoneFixtures.berlin, "Europe/Berlin"))
        #expect(
            berlin.instant(ofLocal: Self.seconds("2026-10-25T02:30:00"))
                == .twice(
                    Self.seconds("2026-10-25T00:30:00"), Self.seconds("2026-10-25T01:30:00")))
        #expect(
            berlin.instant(ofLocal: Self.seconds("2026-10-25T03:00:00"))
                == .once(Self.seconds("2026-10-25T02:00:00")))
    }

    @Test func theWinterOf1974HadDaylightTime() throws {
        let zone = try #require(ZoneFixtures.zone(ZoneFixtures.newYork, "America/New_York"))
        #expect(zone.offset(at: Self.seconds("1974-01-05T12:00:00")) == -18_000)
        #expect(zone.offset(at: Self.seconds("1974-02-01T12:00:00")) == -14_400)
        #expect(
            zone.instant(ofLocal: Self.seconds("1974-02-01T12:00:00"))
                == .once(Self.seconds("1974-02-01T16:00:00")))
    }

    @Test func daylightTimeMaySpanTheTurnOfTheYear() throws {
        let zone = try #require(ZoneFixtures.zone(ZoneFixtures.sydney, "Australia/Sydney"))
        #expect(zone.offset(at: Self.seconds("2026-01-01T00:00:00")) == 39_600)
        #expect(zone.offset(at: Self.seconds("2026-07-01T00:00:00")) == 36_000)
        #expect(zone.offset(at: Self.seconds("2026-04-04T15:59:59")) == 39_600)
        #expect(zone.offset(at: Self.seconds("2026-04-04T16:00:00")) == 36_000)
    }

    /// Every half hour of some days, against a search over all instants.
    @Test(arguments: ["Europe/Berlin", "America/New_York", "Australia/Sydney", "Asia/Kolkata"])
    func localTimesAgreeWithASearch(_ name: String) throws {
        let zone = try #require(ZoneFixtures.library.zone(named: name))
        for day in [
            "2026-03-08", "2026-03-29", "2026-04-05", "2026-10-04", "2026-10-25",
            "2026-11-01", "1974-01-06",
        ] {
            let start = Self.seconds(day + "T00:00:00") - 86_400
            for step in 0..<144 {
                let local = start + Int64(step) * 1800
                let found = stride(from: local - 50_400, through: local + 50_400, by: 1800)
                    .filter { $0 + Int64(zone.offset(at: $0)) == local }
                let instant = zone.instant(ofLocal: local)
                switch found.count {
                case 1: #expect(instant == .once(found[0]))
                case 2: #expect(instant == .twice(found[0], found[1]))
                default:
                    guard case .skipped = instant else {
                        Issue.record("\(name) \(local) is skipped, not \(instant)")
                        continue
                    }
                }
            }
        }
    }

    @Test(arguments: [
        "EST5EDT,M3.2.0,M11.1.0", "<+0330>-3:30", "IST-1GMT0,M10.5.0,M3.5.0/1",
        "<-02>2<-01>,M3.5.0/-1,M10.5.0/0", "XXX3EDT4,0/0,J365/23", "UTC0",
    ]) func rulesInPosixNotationAreRead(_ text: String) {
        #expect(bytes(text) { PosixRule($0) } != nil)
    }

    @Test(arguments: [
        "", "5", "EST", "EST5EDT,M3.2.0", "EST5EDT,M13.2.0,M11.1.0", "EST5EDT,M3.6.0,M11.1.0",
        "EST99", "EST5EDT,M3.2.0,M11.1.0x", "<EST5", "EST5EDT,J0,J1",
    ]) func brokenRulesAreNone(_ text: String) {
        #expect(bytes(text) { PosixRule($0) } == nil)
    }

    @Test func filesCutOrBentNeverTrap() {
        var random = SeededGenerator(7)
        for file in [ZoneFixtures.berlin, ZoneFixtures.newYork, ZoneFixtures.kolkata] {
            for count in 0..<file.count { _ = ZoneFixtures.zone(Array(file[..<count]), "x") }
            for _ in 0..<2000 {
                var bent = file
                for _ in 0..<3 {
                    bent[Int.random(in: 0..<bent.count, using: &random)] = UInt8.random(
                        in: 0...255, using: &random)
                }
                let zone = ZoneFixtures.zone(bent, "x")
                _ = zone?.instant(ofLocal: 1_700_000_000)
                _ = zone?.offset(at: Int64.max)
                _ = zone?.offset(at: Int64.min)
            }
        }
    }

    @Test(arguments: ["Europe/Berlin", "America/New_York", "Australia/Sydney", "Asia/Kolkata"])
    func writtenDefinitionsReadAsTheZone(_ name: String) throws {
        let zone = try #require(ZoneFixtures.library.zone(named: name))
        let text = ICalendarZoneWriter.definition(of: zone, named: name)
        let again = try #require(ZoneDefinition.zone(text))
        #expect(ZoneDefinition.identifier(text) == name)
        var instant = Self.seconds("1970-01-02T00:00:00")
        while instant < Self.seconds("2060-01-01T00:00:00") {
            #expect(again.offset(at: instant) == zone.offset(at: instant))
            instant += 86_400 * 5 + 3600 * 7
        }
    }

    @Test func definitionsWithLimitsAndWeekdaysAreFollowed() throws {
        let zone = try #require(
            ZoneDefinition.zone(
                """
                BEGIN:VTIMEZONE
                TZID:Test
                BEGIN:STANDARD
                DTSTART:16010101T030000
                TZOFFSETFROM:+0200
                TZOFFSETTO:+0100
                RRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=-1SU;BYMONTH=10
                END:STANDARD
                BEGIN:DAYLIGHT
                DTSTART:19800406T020000
                TZOFFSETFROM:+0100
                TZOFFSETTO:+0200
                RRULE:FREQ=YEARLY;BYMONTH=3;BYMONTHDAY=25,26,27,28,29,30,31;BY
                 DAY=SU;UNTIL=20100328T010000Z
                END:DAYLIGHT
                END:VTIMEZONE
                """))
        #expect(zone.offset(at: Self.seconds("2009-07-01T00:00:00")) == 7200)
        #expect(zone.offset(at: Self.seconds("2010-07-01T00:00:00")) == 7200)
        #expect(zone.offset(at: Self.seconds("2011-07-01T00:00:00")) == 3600)
    }
}
