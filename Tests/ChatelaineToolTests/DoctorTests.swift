import Foundation
import KeychainTestSupport
import Testing

@Suite(
    "The doctor, with the system's service",
    .enabled(if: SystemMode.isPossible, "needs root, and a root folder that is a mount")
)
struct DoctorTests {
    private static let mebibytes = 5

    private func service() throws -> SystemService {
        let service = try SystemService(
            options: ["--quota-items", "20", "--quota-bytes", "\(Self.mebibytes << 20)"]
        )
        try #require(service.waitUntilReady(), "\(service.log)")
        return service
    }

    private func add(_ numbers: Range<Int>, size: Int = 3, to service: SystemService) throws {
        let value = String(repeating: "x", count: size)
        let text = "Title,Username,Password\n" + numbers.map { "site,user \($0),\(value)\n" }.joined()
        let path = service.home + "/in.csv"
        try Data(text.utf8).write(to: URL(filePath: path))
        let added = try service.chatelaine(["import", path])
        try #require(added.output == "\(numbers.count) added\n", "\(added.errors)\(service.log)")
    }

    /// The line about the keychain's room.
    private func room(_ service: SystemService) throws -> String {
        let doctor = try service.chatelaine(["doctor"])
        let lines = doctor.output.split(separator: "\n").filter { $0.contains(" items, and ") }
        #expect(lines.count == 1, "\(doctor.output)\(doctor.errors)")
        return lines.first.map(String.init) ?? ""
    }

    @Test func `it says how full the keychain is, and warns when nine tenths of the items are there`() throws {
        let service = try service()
        try add(0..<17, to: service)
        let before = try room(service)
        #expect(before.hasPrefix("  ok it has 17 of 20 items, and 0."), "\(before)")
        #expect(before.hasSuffix(" of \(Self.mebibytes) MiB"), "\(before)")
        try add(17..<18, to: service)
        let after = try room(service)
        #expect(after.hasPrefix("  !! it has 18 of 20 items, and 0."), "\(after)")
        #expect(after.hasSuffix("have root give you a larger quota"), "\(after)")
        let doctor = try service.chatelaine(["doctor"])
        #expect(doctor.status == 1, "\(doctor)")
    }

    @Test func `it warns when nine tenths of the bytes are there`() throws {
        let service = try service()
        try add(0..<4, size: 1 << 20, to: service)
        #expect(try room(service).hasPrefix("  ok it has 4 of 20 items, and 4."))
        try add(4..<5, size: 500_000, to: service)
        #expect(try room(service).hasPrefix("  !! it has 5 of 20 items, and 4."))
    }

    @Test func `a user without a keychain has none of it`() throws {
        #expect(try room(service()).hasPrefix("  ok it has 0 of 20 items, and "))
    }
}

@Suite("The doctor, with an embedded keychain")
struct EmbeddedDoctorTests {
    @Test func `it says of which version the database is, and where there is none`() throws {
        let session = try ChatelaineSession()
        func doctor() throws -> String {
            try session.run("CHATELAINE_KEYCHAIN=embedded:$PWD/keychain chatelaine doctor").output
        }
        #expect(try doctor().contains("  -  does not exist yet\n"))
        let add = "CHATELAINE_KEYCHAIN=embedded:$PWD/keychain security add-generic-password -s a -a b -w c"
        #expect(try session.run(add).status == 0)
        #expect(try doctor().contains("  ok has a database of version 2\n"))
        // A newer one is no keychain of this program's.
        let newer = "printf '\\0\\0\\0\\003' | dd of=keychain/keychain.db bs=1 seek=60 conv=notrunc status=none"
        #expect(try session.run(newer).status == 0)
        let found = try doctor()
        #expect(found.contains("  !! the keychain's database is of a newer version"), "\(found)")
    }
}
