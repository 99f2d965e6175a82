import Foundation
import Security
import Testing

@Suite("Dates")
struct DateTests {
    private static let dates: [Date] = [
        Date(timeIntervalSinceReferenceDate: 0), Date(timeIntervalSince1970: 0), Date(timeIntervalSince1970: -1),
        Date(timeIntervalSince1970: -2_208_988_800.25), .distantPast, .distantFuture,
        Date(timeIntervalSinceReferenceDate: 1e15), Date(timeIntervalSinceReferenceDate: -1e15),
        Date(timeIntervalSinceReferenceDate: 0.000_001), Date(timeIntervalSinceReferenceDate: 721_692_800.123_456_7),
    ]

    @Test(arguments: Transport.allCases, dates)
    func `a date comes back to the last bit, and finds its item`(transport: Transport, date: Date) throws {
        try withKeychain(transport) {
            add(password())
            add(password(account: "bob"))
            #expect(update(query(), [kSecAttrCreationDate: date]) == errSecSuccess)
            let returned = try #require(try attributes(of: query())["cdat"] as? Date)
            #expect(returned.timeIntervalSinceReferenceDate == date.timeIntervalSinceReferenceDate)
            try #expect(accounts(of: genericPasswords([kSecAttrCreationDate: date])) == ["alice"])
        }
    }

    @Test(arguments: Transport.allCases)
    func `dates that differ by a microsecond are different`(transport: Transport) throws {
        try withKeychain(transport) {
            add(password())
            let date = Date(timeIntervalSinceReferenceDate: 700_000_000)
            update(query(), [kSecAttrCreationDate: date])
            let later = Date(timeIntervalSinceReferenceDate: 700_000_000.000_001)
            #expect(find(query([kSecAttrCreationDate: later])).status == errSecItemNotFound)
        }
    }

    @Test(arguments: Transport.allCases)
    func `the two zeroes are one date`(transport: Transport) throws {
        try withKeychain(transport) {
            add(password())
            update(query(), [kSecAttrCreationDate: Date(timeIntervalSinceReferenceDate: 0)])
            let zero = Date(timeIntervalSinceReferenceDate: -0.0)
            #expect(find(query([kSecAttrCreationDate: zero])).status == errSecSuccess)
        }
    }

    @Test(arguments: Transport.allCases)
    func `a date may be an NSDate and comes back as one`(transport: Transport) throws {
        try withKeychain(transport) {
            add(password())
            let date = NSDate(timeIntervalSinceReferenceDate: 5)
            #expect(update(query(), [kSecAttrCreationDate: date]) == errSecSuccess)
            let found = find(query([kSecReturnAttributes: true])).result as? [String: AnyObject]
            let returned = try #require(found?["cdat"])
            #expect(CFGetTypeID(returned) == CFDateGetTypeID())
            #expect(CFEqual(returned, date))
        }
    }

    @Test(arguments: Transport.allCases)
    func `an update after a creation date far ahead still moves the modification date`(transport: Transport) throws {
        try withKeychain(transport) {
            add(password())
            let before = try #require(try attributes(of: query())["mdat"] as? Date)
            update(query(), [kSecAttrCreationDate: Date.distantFuture])
            let after = try #require(try attributes(of: query())["mdat"] as? Date)
            #expect(after > before)
            #expect(after < .distantFuture)
        }
    }
}
