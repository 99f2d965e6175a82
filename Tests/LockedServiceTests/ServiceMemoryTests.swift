import Crypto
import EnclaveClient
import Foundation
import KeychainClient
import KeychainEngine
import KeychainModel
import KeychainProtocol
import KeychainTestSupport
import Logging
import Testing

@testable import EnclaveInterface
@testable import LocalEnclave

/// What root finds in the memory, and in core files, of the processes that keep a keychain.
@Suite(
    "Memory of the service's processes",
    .serialized,
    .enabled(if: geteuid() == 0, "only root can read another process's memory"),
    .timeLimit(.minutes(5))
)
struct ServiceMemoryTests {
    private static let goneWhileLocked: [Accessibility] = [
        .whenUnlocked, .whenUnlockedThisDeviceOnly, .whenPasscodeSetThisDeviceOnly,
    ]
    private static let goneAfterLogOut =
        goneWhileLocked + [.afterFirstUnlock, .afterFirstUnlockThisDeviceOnly]

    private static func secret(_ accessible: Accessibility) -> [UInt8] {
        Array("secret of \(accessible.rawValue), which is long enough to be no accident".utf8)
    }

    /// A service with a passcode and an item of each class, each of which was read.
    private func filledService(_ mode: ServiceProcess.Mode) throws -> LockedService {
        let service = try LockedService(mode)
        _ = try service.client.add(Item.add("first", .always, secret: [1]))
        try service.control().changePasscode(from: nil, to: LockedService.passcode)
        let client = service.client
        for accessible in Accessibility.allCases {
            let account = accessible.rawValue
            _ = try client.add(Item.add(account, accessible, secret: Self.secret(accessible)))
            #expect(try client.find(Item.find(account)).count == 1)
        }
        return service
    }

    private func bytes(_ key: SymmetricKey) -> [UInt8] { key.withUnsafeBytes { Array($0) } }

    /// Opens a copy of the keychain in this process, and takes all keys from it.
    private func keys(of service: LockedService) throws -> Keys {
        let database = service.folder + "/copied-database"
        try LockedService.copy(["keychain.db", "keychain.db-wal"], from: service.databaseFolder, to: database)
        let local = try service.copiedEnclave()
        try local.passcode.unlock(LockedService.passcode, by: .administrator)
        let spied = SpiedEnclave(local)
        let engine = try KeychainDirectory(path: database, enclave: SpiedFolder(enclave: spied))
            .open(log: Logger(label: "test"))
        let caller = Caller(name: "test", groups: AccessGroups([try service.client.identity().groups[0]]))
        #expect(try engine.keychain(of: caller).find(Item.find()).count == Accessibility.allCases.count + 1)
        let (metadata, wrapping) = try spied.classKeys()
        return Keys(
            metadata: metadata.mapValues(bytes),
            wrapping: wrapping.mapValues(bytes),
            items: spied.itemKeys.map(bytes),
            index: bytes(try spied.serviceKeys().indexKey)
        )
    }

    private struct Keys {
        let metadata: [Accessibility: [UInt8]]
        let wrapping: [Accessibility: [UInt8]]
        let items: [[UInt8]]
        let index: [UInt8]

        /// All that could be found, by what it is called here.
        var needles: [String: [UInt8]] {
            var needles: [String: [UInt8]] = ["index": index]
            for (accessible, key) in metadata { needles["metadata \(accessible.rawValue)"] = key }
            for (accessible, key) in wrapping { needles["wrapping \(accessible.rawValue)"] = key }
            for (number, key) in items.enumerated() { needles["item \(number)"] = key }
            for accessible in Accessibility.allCases {
                needles["secret \(accessible.rawValue)"] = ServiceMemoryTests.secret(accessible)
            }
            return needles
        }
    }

    /// What may be there while some classes are locked.
    private func allowed(_ process: String, _ mode: ServiceProcess.Mode, without locked: [Accessibility]) -> Set<String>
    {
        let open = Accessibility.allCases.filter { !locked.contains($0) }.map(\.rawValue)
        switch (mode, process) {
        case (.session, _): return Set(open.flatMap { ["metadata \($0)", "wrapping \($0)"] } + ["index"])
        case (.system, "service"): return Set(open.map { "metadata \($0)" } + ["index"])
        // Its keys are in memory that nobody else can read.
        case (.system, _): return []
        }
    }

    @Test(arguments: ServiceProcess.Mode.possible)
    func `no key of a locked class, no item key and no secret is in any of the processes`(
        mode: ServiceProcess.Mode
    ) throws {
        let service = try filledService(mode)
        let keys = try keys(of: service)
        try #require(keys.items.count == Accessibility.allCases.count + 1)
        try #require(keys.wrapping.count == Accessibility.allCases.count)
        for (step, locked) in [[], Self.goneWhileLocked, Self.goneAfterLogOut].enumerated() {
            if step == 1 { try service.control().lock() }
            if step == 2 { try service.control().logOut() }
            for (name, process) in service.keepers {
                let allowed = allowed(name, mode, without: locked)
                let found = try Memory.contains(keys.needles, in: process)
                #expect(found.subtracting(allowed) == [], "\(name), step \(step)")
                // The control: what it has to have is found.
                if !allowed.isEmpty { #expect(found == allowed, "\(name), step \(step)") }
                if let found = try Memory.coreContains(keys.needles, of: process, in: service.folder) {
                    #expect(found.subtracting(allowed) == [], "core of \(name), step \(step)")
                }
            }
        }
    }

    @Test(arguments: ServiceProcess.Mode.possible)
    func `a secret is in the service while it is being sent, and no longer`(mode: ServiceProcess.Mode) throws {
        let service = try LockedService(mode)
        let mark = Array("SECRET-\(UUID().uuidString)-\(UUID().uuidString)".utf8)
        // More than a socket takes.
        let secret = (0..<40_000).flatMap { _ in mark }
        _ = try service.client.add(Item.add("long", secret: secret))
        let needles = ["secret": mark]
        do {
            let client = try SilentClient(service.address.path)
            try client.ask(Item.find("long"), times: 1)
            try waitUntil("some of the answer is there", pause: 0) { client.waiting > 0 }
            // It waits for room.
            #expect(try Memory.contains(needles, in: service.process.identifier) == ["secret"])
            #expect(client.readUntilQuiet().count > secret.count)
            for (name, process) in service.keepers {
                #expect(try Memory.contains(needles, in: process) == [], "\(name)")
            }
        }
    }
}
