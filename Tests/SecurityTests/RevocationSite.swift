import CertificateTestSupport
import Foundation
import Glibc
import KeychainTestSupport
import KeychainTrust
import Security
import Testing

/// An authority, somebody's certificate of its that names a server of this machine, and a cache of the test's own.
struct RevocationSite {
    let server: LoopbackServer
    let root: TestAuthority
    let leaf: TestAuthority
    let cache: RevocationCache
    /// Where the cache is.
    let folder: String
    /// Those of a machine that has much else to do.
    var limits = RevocationSite.patience

    static var patience: RevocationLimits {
        var limits = RevocationLimits()
        limits.perRequest = .seconds(30)
        limits.total = .seconds(60)
        limits.mayBeNearby = true
        return limits
    }

    static let strict = kSecRevocationOCSPMethod | kSecRevocationRequirePositiveResponse
    static let lenient = kSecRevocationOCSPMethod
    static let strictList = kSecRevocationCRLMethod | kSecRevocationRequirePositiveResponse

    /// - Parameters:
    ///   - servers: the paths where the authority says that it answers, and those where it says that its list is.
    ///   - host: what the certificate calls this machine.
    ///   - port: another port that the certificate names.
    init(servers: [String] = ["ocsp"], lists: [String] = [], host: String = "127.0.0.1", port: UInt16? = nil) throws {
        server = try LoopbackServer()
        let base = "http://\(host):\(port ?? server.port)/"
        root = try TestAuthority.root("Root", .authority)
        leaf = try root.issue(
            "Leaf",
            .server("www.example.com").answered(byServers: servers.map { base + $0 }, lists: lists.map { base + $0 })
        )
        folder = FileManager.default.temporaryDirectory.path + "/cache-\(UUID().uuidString)/chatelaine/revocation"
        cache = RevocationCache(path: folder)
    }

    /// The same with another cache.
    init(_ other: RevocationSite, cache: RevocationCache) {
        server = other.server
        root = other.root
        leaf = other.leaf
        folder = other.folder
        limits = other.limits
        self.cache = cache
    }

    /// What an honest server says of the leaf.
    func response(_ status: Character, to request: LoopbackServer.Request) -> LoopbackServer.Reply {
        do {
            return .answer(
                try TestResponses.make(about: leaf, of: root, status: status, question: request.body)
            )
        } catch {
            server.note("\(error)")
            return .nothing
        }
    }

    func trust(_ flags: CFOptionFlags?, mayFetch: Bool?, withAuthority: Bool = false) throws -> SecTrust {
        let certificate = try #require(SecCertificateCreateWithData(nil, Data(leaf.der) as CFData))
        let anchor = try #require(SecCertificateCreateWithData(nil, Data(root.der) as CFData))
        var policies = [SecPolicyCreateSSL(true, "www.example.com" as CFString)]
        if let flags { policies.append(try #require(SecPolicyCreateRevocation(flags))) }
        var trust: SecTrust?
        let certificates = [certificate] + (withAuthority ? [anchor] : [])
        #expect(
            SecTrustCreateWithCertificates(certificates as CFArray, policies as CFArray, &trust) == errSecSuccess
        )
        let made = try #require(trust)
        SecTrustSetAnchorCertificates(made, [anchor] as CFArray)
        if let mayFetch { SecTrustSetNetworkFetchAllowed(made, mayFetch) }
        return made
    }

    /// Evaluates the leaf with the site's limits and cache.
    ///
    /// - Returns: the status; `errSecSuccess` if the certificate is trusted.
    func outcome(of trust: SecTrust) -> OSStatus {
        RevocationCache.$override.withValue(cache) {
            RevocationLimits.$override.withValue(limits) {
                var error: CFError?
                guard !SecTrustEvaluateWithError(trust, &error) else { return errSecSuccess }
                return OSStatus(error?.code ?? -1)
            }
        }
    }

    func outcome(_ flags: CFOptionFlags?, mayFetch: Bool? = true) throws -> OSStatus {
        try outcome(of: trust(flags, mayFetch: mayFetch))
    }

    /// The files of the cache.
    var kept: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted() }
}
