import Crypto
import Foundation
import KeychainTestSupport
import LocalAuthentication
import Security
import Testing

@Suite("Rights", .timeLimit(.minutes(10)))
struct RightTests {
    /// What a handler got.
    private final class Reply<Value: Sendable>: @unchecked Sendable {
        // Unchecked: the semaphore orders the writing and the reading.
        private let done = DispatchSemaphore(value: 0)
        private var value: Value?
        private var error: (any Error)?

        func take(_ value: Value?, _ error: (any Error)?) {
            (self.value, self.error) = (value, error)
            done.signal()
        }

        func get() throws -> Value? {
            done.wait()
            if let error { throw error }
            return value
        }
    }

    func wait<Value: Sendable>(_ call: (@escaping @Sendable (Value?, (any Error)?) -> Void) -> Void) throws
        -> Value
    {
        let reply = Reply<Value>()
        call { reply.take($0, $1) }
        return try #require(try reply.get())
    }

    func wait(_ call: (@escaping @Sendable ((any Error)?) -> Void) -> Void) throws {
        let reply = Reply<Bool>()
        call { reply.take(nil, $0) }
        _ = try reply.get()
    }

    func code(_ body: () throws -> Void) -> Int? {
        do {
            try body()
            return nil
        } catch {
            return (error as NSError).code
        }
    }

    let store = LARightStore.shared

    /// Where a test may wait: not on a thread of Swift's pool, which the handlers need.
    static func onOwnThread(_ body: @escaping @Sendable () throws -> Void) async throws {
        try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
            Thread.detachNewThread { done.resume(with: Result { try body() }) }
        }
    }

    @Test(arguments: Transport.allCases)
    func `a stored right gives its secret and uses its key only while it is authorized`(transport: Transport)
        async throws
    {
        try await Self.onOwnThread { try useAuthorized(transport) }
    }

    private func useAuthorized(_ transport: Transport) throws {
        let keychain = try AttendedKeychain(transport)
        let algorithm = SecKeyAlgorithm.ecdsaSignatureMessageX962SHA256
        let refused = LAError.Code.notInteractive.rawValue
        try keychain.run {
            let saved: LAPersistedRight = try wait {
                store.saveRight(LARight(), identifier: "token", secret: Data([7]), completion: $0)
            }
            #expect(saved.state == .unknown && saved.tag == 0)
            let right: LAPersistedRight = try wait { store.right(forIdentifier: "token", completion: $0) }
            let read = { try wait { right.secret.loadData(completion: $0) } as Data }
            let sign = { try wait { right.key.sign(Data([1]), algorithm: algorithm, completion: $0) } as Data }
            #expect(right.state == .unknown)
            #expect(code { _ = try read() } == refused)
            #expect(code { _ = try sign() } == refused)
            #expect((try wait { right.key.publicKey.exportBytes(completion: $0) } as Data).count == 65)
            #expect(keychain.person.dialogs == 0)

            keychain.person.answer(.no)
            #expect(
                code { try wait { right.authorize(localizedReason: "Log in", completion: $0) } }
                    == LAError.Code.userCancel.rawValue
            )
            #expect(right.state == .notAuthorized)
            #expect(code { _ = try read() } == refused)

            keychain.person.answer(.secret("open sesame"))
            try wait { right.authorize(localizedReason: "Log in", completion: $0) }
            #expect(right.state == .authorized && keychain.person.dialogs == 2)
            #expect(keychain.person.shown.contains("Log in"))
            #expect(try read() == Data([7]))
            let signature = try sign()
            try wait {
                right.key.publicKey.verify(Data([1]), signature: signature, algorithm: algorithm, completion: $0)
            }
            let encryption = SecKeyAlgorithm.eciesEncryptionCofactorX963SHA256AESGCM
            let encrypted: Data = try wait {
                right.key.publicKey.encrypt(Data("tea".utf8), algorithm: encryption, completion: $0)
            }
            let decrypt = { try wait { right.key.decrypt(encrypted, algorithm: encryption, completion: $0) } as Data }
            #expect(try decrypt() == Data("tea".utf8))
            let other = P256.KeyAgreement.PrivateKey()
            let exchange = {
                try wait {
                    right.key.exchangeKeys(
                        publicKey: other.publicKey.x963Representation,
                        algorithm: .ecdhKeyExchangeStandard,
                        parameters: [:],
                        completion: $0
                    )
                } as Data
            }
            let own: Data = try wait { right.key.publicKey.exportBytes(completion: $0) }
            let shared = try other.sharedSecretFromKeyAgreement(
                with: P256.KeyAgreement.PublicKey(x963Representation: own)
            )
            #expect(try exchange() == shared.withUnsafeBytes { Data($0) })
            // Another object for the same right has no part in it.
            let stranger: LAPersistedRight = try wait { store.right(forIdentifier: "token", completion: $0) }
            #expect(code { _ = try wait { stranger.secret.loadData(completion: $0) } as Data } == refused)

            let done = DispatchSemaphore(value: 0)
            right.deauthorize { done.signal() }
            done.wait()
            #expect(right.state == .notAuthorized)
            #expect(code { _ = try read() } == refused)
            for use in [sign, decrypt, exchange] { #expect(code { _ = try use() } == refused) }
            #expect(keychain.person.dialogs == 2)
        }
    }

    @Test(arguments: Transport.allCases)
    func `rights are kept by their identifiers, and removed`(transport: Transport) async throws {
        try await Self.onOwnThread { try keepAndRemove(transport) }
    }

    private func keepAndRemove(_ transport: Transport) throws {
        try withKeychain(transport) {
            let notFound = Int(errSecItemNotFound)
            let find = { (name: String) in
                code { _ = try wait { store.right(forIdentifier: name, completion: $0) } as LAPersistedRight }
            }
            let save = { (name: String) in
                code {
                    _ = try wait { store.saveRight(LARight(), identifier: name, completion: $0) } as LAPersistedRight
                }
            }
            #expect(find("a") == notFound)
            #expect(save("") == Int(errSecParam))
            #expect(save("a") == nil && save("b") == nil && save("c") == nil)
            #expect(save("a") == Int(errSecDuplicateItem))
            #expect(find("a") == nil)
            try wait { store.removeRight(forIdentifier: "a", completion: $0) }
            #expect(find("a") == notFound && find("b") == nil)
            try wait { store.removeAllRights(completion: $0) }
            #expect(find("b") == notFound && find("c") == notFound)
            #expect(status(keys([:])) == errSecItemNotFound)
            try wait { store.removeAllRights(completion: $0) }
        }
    }

    func status(_ query: [CFString: Any]) -> OSStatus {
        SecItemCopyMatching(query as CFDictionary, nil)
    }
}
