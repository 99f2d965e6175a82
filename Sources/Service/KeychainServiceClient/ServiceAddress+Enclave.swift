import EnclaveInterface
import Glibc
import KeychainAccounts

extension ServiceAddress {
    /// Where the enclave listens for those who bring a passcode: beside the service.
    package var controlSocket: String {
        let folder = path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
        return folder + "/" + EnclavePlaces.controlSocketName
    }

    /// Who, besides root, may listen there.
    package var enclaveUser: UInt32 {
        switch kind {
        case .system: UserAccount(name: EnclavePlaces.user)?.uid ?? 0
        case .session: getuid()
        }
    }
}
