// What code about servers' certificates needs of FoundationNetworking, and Foundation on Linux lacks. It makes such code
// compile. Linux never calls it: pinning does not protect there.
//
// Whoever imports a module that imports FoundationNetworking is linked with libcurl. So this is compiled into Security only
// where CHATELAINE_SERVER_TRUST=1 asks for it, and for the toolsets into a module of its own, which the compiler adds where
// both are imported (scripts/release.sh). Every function is compiled into its caller: there is no library of it.
// (docs/decisions/0049-code-about-a-servers-trust-compiles.md)
#if CHATELAINE_SERVER_TRUST
public import Foundation
public import FoundationNetworking

#if CHATELAINE_OVERLAY
public import Security
#endif

extension URLProtectionSpace {
    /// What the server has shown of itself: **always nil on Linux**, where no challenge is about it.
    ///
    /// See [serverTrust](https://developer.apple.com/documentation/foundation/urlprotectionspace/servertrust).
    @_alwaysEmitIntoClient
    public var serverTrust: SecTrust? { nil }
}

extension URLCredential {
    /// Stands for the acceptance of a server. **Linux asks for none**, so nothing comes of it; it names no user.
    ///
    /// See [init(trust:)](https://developer.apple.com/documentation/foundation/urlcredential/init(trust:)).
    @_alwaysEmitIntoClient
    public convenience init(trust: SecTrust) {
        self.init(user: "", password: "", persistence: .none)
    }

    /// Stands for a client's certificate. **Linux asks for none**, so the identity is not kept; it names no user.
    ///
    /// See [init(identity:certificates:persistence:)](https://developer.apple.com/documentation/foundation/urlcredential/init(identity:certificates:persistence:)).
    @_alwaysEmitIntoClient
    public convenience init(identity: SecIdentity, certificates: [Any]?, persistence: URLCredential.Persistence) {
        self.init(user: "", password: "", persistence: persistence)
    }

    /// The client's identity: always nil on Linux.
    @_alwaysEmitIntoClient
    public var identity: SecIdentity? { nil }

    /// The certificates that go with it: always none on Linux.
    @_alwaysEmitIntoClient
    public var certificates: [Any] { [] }
}
#endif
