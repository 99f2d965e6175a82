import Crypto
import KeychainModel
import KeychainTestSupport
import Synchronization

@testable import EnclaveInterface
@testable import LocalEnclave

/// An enclave that notes the item keys it gives out.
final class SpiedEnclave: ForwardingEnclave {
    let enclave: LocalEnclave
    private let unwrapped = Mutex<[SymmetricKey]>([])

    init(_ enclave: LocalEnclave) {
        self.enclave = enclave
    }

    /// The keys of all items that were opened.
    var itemKeys: [SymmetricKey] { unwrapped.withLock { $0 } }

    /// The metadata keys of the classes, and the keys that wrap item keys.
    func classKeys() throws -> (metadata: [Accessibility: SymmetricKey], wrapping: [Accessibility: SymmetricKey]) {
        try enclave.locking.withState { (state) throws(KeychainError) in
            (
                state.keys.classes.compactMapValues { $0.first?.metadata.key },
                state.keys.classes.compactMapValues { $0.first?.wrapping.key }
            )
        }
    }

    func unwrap(
        _ keys: [WrappedItemKey],
        with credentials: ItemCredentials
    ) throws(KeychainError) -> [Result<SymmetricKey, KeychainError>] {
        let results = try enclave.unwrap(keys, with: credentials)
        unwrapped.withLock { unwrapped in unwrapped += results.compactMap { try? $0.get() } }
        return results
    }
}

/// A copy of a keychain's files, opened with its passcode.
struct SpiedFolder: EnclaveFolder {
    let enclave: SpiedEnclave

    var files: [String] { [] }
    func presence() throws(KeychainError) -> EnclavePresence { .complete }
    func create() throws(KeychainError) {}
    func open() throws(KeychainError) -> any Enclave { enclave }
}
