// Written as Apple's documentation and its readers write it, forced unwraps and casts included.
// swift-format-ignore-file: NeverForceUnwrap

internal import Foundation
internal import Security

struct Session: Codable, Equatable, Sendable {
    var user: String
    var token: Data
    var expires: Date
}

@MainActor
final class Checks {
    private(set) var failures = 0

    func check(_ condition: Bool, _ what: String) {
        print(condition ? "ok" : "NOT OK", what)
        if !condition { failures += 1 }
    }
}

@main
struct Client {
    static func main() async throws {
        let checks = Checks()
        try await sessions(checks)
        try await manyTasks(checks)
        try await objects(checks)
        try await vault(checks)
        try await servers(checks)
        try await keys(checks)
        let failures = checks.failures
        print(failures == 0 ? "all is well" : "\(failures) failed")
        exit(failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE)
    }

    static func sessions(_ checks: Checks) async throws {
        let store = KeychainStore(service: "com.example.sessions")
        var session = Session(
            user: "alice",
            token: randomBytes(32),
            expires: Date(timeIntervalSince1970: 2_000_000_000)
        )
        try await store.save(session, as: "alice")
        await checks.check(try await store.read(from: "alice") == session, "save and read")
        do {
            try await store.save(session, as: "alice")
            await checks.check(false, "duplicate")
        } catch KeychainStore.Failure.duplicate {
            await checks.check(true, "duplicate")
        }
        session.token = randomBytes(16)
        try await store.update(session, as: "alice")
        await checks.check(try await store.read(Session.self, from: "alice") == session, "update")
        await checks.check(try await store.all().map(\.account) == ["alice"], "list")
        try await store.delete("alice")
        do {
            _ = try await store.read(Session.self, from: "alice")
            await checks.check(false, "delete")
        } catch let error as KeychainStore.Failure {
            await checks.check(error == .notFound, "delete")
        }
    }

    static func manyTasks(_ checks: Checks) async throws {
        let statuses = await withTaskGroup(of: OSStatus.self) { group in
            for number in 0..<20 {
                group.addTask {
                    let item: [String: Any] = [
                        kSecClass as String: kSecClassInternetPassword,
                        kSecAttrServer as String: "example.com",
                        kSecAttrPort as String: 443,
                        kSecAttrLabel as String: "task \(number)",
                        kSecValueData as String: Data("\(number)".utf8),
                    ]
                    return SecItemAdd(item as CFDictionary, nil)
                }
            }
            return await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        }
        await checks.check(statuses == [errSecSuccess: 1, errSecDuplicateItem: 19], "one of many adds succeeds")
        let deleted = await Task.detached {
            SecItemDelete([kSecClass: kSecClassInternetPassword] as CFDictionary)
        }.value
        await checks.check(deleted == errSecSuccess, "delete in a detached task")
    }

    static func objects(_ checks: Checks) async throws {
        // An access control crosses tasks.
        let access = try AccessControls.make(.privateKeyUsage)
        let isSame = try await Task.detached { try AccessControls.make(.privateKeyUsage) == access }.value
        await checks.check(isSame, "access controls are equal by value")
        do {
            _ = try AccessControls.make([.userPresence, .biometryAny])
            await checks.check(false, "a refused access control")
        } catch {
            let error = error as NSError
            await checks.check(error.domain == NSOSStatusErrorDomain && error.code == -50, "a refused access control")
        }

        let copy: @Sendable (CFDictionary, UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus = SecItemCopyMatching
        let add: [String: Any] = [
            kSecClass as String: kSecClassGenericPassword,
            kSecAttrAccount as String: "data",
            kSecValueData as String: Data("value".utf8),
        ]
        var added: CFTypeRef?
        let returning = add.merging([kSecReturnData as String: true, kSecReturnAttributes as String: true]) { $1 }
        await checks.check(SecItemAdd(returning as CFDictionary, &added) == errSecSuccess, "add with a result")
        let dictionary = added as? [CFString: Any]
        await checks.check(dictionary?[kSecValueData] as? Data == Data("value".utf8), "the result of an add")

        var item: CFTypeRef?
        let query = [kSecClass: kSecClassGenericPassword, kSecReturnData: kCFBooleanTrue!] as [CFString: Any]
        let status = withUnsafeMutablePointer(to: &item) { copy(query as CFDictionary, $0) }
        await checks.check(status == errSecSuccess, "copy through a variable")
        let data = item as! CFData
        await checks.check(CFGetTypeID(data) == CFDataGetTypeID() && (data as Data).count == 5, "data by a forced cast")
        await checks.check(SecItemDelete(add as CFDictionary) == errSecSuccess, "delete with a value in the query")
        await checks.check(SecItemDelete(add as CFDictionary) == errSecItemNotFound, "delete nothing")
        let message = SecCopyErrorMessageString(errSecItemNotFound, nil) as String?
        await checks.check(message?.isEmpty == false, "a message")
    }

    static func randomBytes(_ count: Int) -> Data {
        var data = Data(count: count)
        let status = data.withUnsafeMutableBytes { buffer in
            SecRandomCopyBytes(kSecRandomDefault, count, buffer.baseAddress!)
        }
        precondition(status == errSecSuccess)
        return data
    }
}
