import Crypto
import EnclaveInterface
import KeychainModel

/// The leaves that were given and not used.
struct IssuedTokens {
    private var issued: [(token: AuthorizationToken, operation: GuardedOperation, issued: UInt64)] = []

    private static let lifetime: UInt64 = 60_000_000_000
    private static let mostAtOnce = 64

    mutating func issue(_ operation: GuardedOperation, at now: UInt64) throws(KeychainError) -> AuthorizationToken {
        let random = unsafe SymmetricKey(size: .bits256).withUnsafeBytes { unsafe Array($0) }
        guard let token = AuthorizationToken(random) else {
            throw KeychainError(.internalError, "a token has another size")
        }
        forgetOld(at: now)
        if issued.count >= Self.mostAtOnce { issued.removeFirst() }
        issued.append((token, operation, now))
        return token
    }

    /// Whether it was given for this and is fresh. It is used up in any case.
    mutating func redeem(_ token: AuthorizationToken, for operation: GuardedOperation, at now: UInt64) -> Bool {
        forgetOld(at: now)
        guard let index = issued.firstIndex(where: { $0.token == token }) else { return false }
        return issued.remove(at: index).operation == operation
    }

    private mutating func forgetOld(at now: UInt64) {
        issued.removeAll { now < $0.issued || now - $0.issued > Self.lifetime }
    }
}
