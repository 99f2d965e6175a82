import KeychainClient
import KeychainModel
import Terminal

/// The keychain service that a command is about.
enum ServiceChoice {
    /// - Parameter path: the socket that was named, if one was.
    /// - Throws: a failure where programs would use no service.
    static func address(_ path: String?) throws -> ServiceAddress {
        if let path { return ServiceAddress(path: path, kind: .session) }
        guard case .service(let address) = try KeychainLocation.current() else {
            throw Failure("no keychain service is here: programs open their keychains themselves")
        }
        return address
    }
}
