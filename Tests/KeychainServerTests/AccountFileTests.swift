import Foundation
import Glibc
import KeychainTestSupport
import Synchronization
import Testing

@testable import KeychainServer

struct AccountFileTests {
    private let keychain: TestKeychain
    private let folder: String
    private let file: AccountFile<[String: String]>

    init() throws {
        keychain = try TestKeychain()
        folder = keychain.surroundings
        file = AccountFile(folder + "/accounts", empty: [:], parse: Self.parse)
    }

    @Sendable
    private static func parse(_ fields: [Substring.UTF8View], _ accounts: inout [String: String]) {
        guard fields.count == 2 else { return }
        accounts["\(Substring(fields[0]))"] = "\(Substring(fields[1]))"
    }

    private var accounts: [String: String] { file.with { $0 } }

    private func write(_ text: String) throws {
        try Data(text.utf8).write(to: URL(filePath: folder + "/accounts"))
    }

    @Test func `a file that changes is read again`() throws {
        #expect(accounts == [:])
        try write("alice:1\nnonsense\nbob:2")
        #expect(accounts == ["alice": "1", "bob": "2"])
        try write("alice:1000")
        #expect(accounts == ["alice": "1000"])
        unlink(folder + "/accounts")
        #expect(accounts == [:])
    }

    @Test func `a file that fails while it is read has nobody in it, and is tried again`() throws {
        try write("alice:1")
        let reads = Atomic(0)
        let failing = AccountFile(
            folder + "/accounts",
            empty: [:],
            read: { reads.add(1, ordering: .relaxed).newValue == 1 ? nil : AccountFiles.bytes(of: $0) },
            parse: Self.parse
        )
        #expect(failing.with { $0 } == [:])
        #expect(failing.with { $0 } == ["alice": "1"])
        #expect(failing.with { $0 } == ["alice": "1"])
        #expect(reads.load(ordering: .relaxed) == 2)
    }

    @Test func `what cannot be read at all has nobody in it`() throws {
        try write("alice:1")
        #expect(accounts == ["alice": "1"])
        unlink(folder + "/accounts")
        // Nothing is mapped at its beginning.
        symlink("/proc/self/mem", folder + "/accounts")
        #expect(accounts == [:])
    }

    @Test func `a pipe and a folder are no files, and nobody waits for them`() throws {
        mkfifo(folder + "/accounts", 0o600)
        #expect(accounts == [:])
        unlink(folder + "/accounts")
        mkdir(folder + "/accounts", 0o700)
        #expect(accounts == [:])
    }
}
