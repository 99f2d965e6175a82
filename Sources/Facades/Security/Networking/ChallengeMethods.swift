// Foundation on Linux has these two, marked as unavailable: it has no challenges of these kinds. Code for other platforms
// compares with them all the same. (docs/decisions/0049-code-about-a-servers-trust-compiles.md)

/// The method of a challenge about a server's certificate. **No challenge on Linux has it**: `URLSession` verifies servers
/// by the system's anchors, and asks no delegate.
///
/// See [NSURLAuthenticationMethodServerTrust](https://developer.apple.com/documentation/foundation/nsurlauthenticationmethodservertrust).
public let NSURLAuthenticationMethodServerTrust = "NSURLAuthenticationMethodServerTrust"

/// The method of a challenge that asks for a client's certificate. **No challenge on Linux has it.**
///
/// See [NSURLAuthenticationMethodClientCertificate](https://developer.apple.com/documentation/foundation/nsurlauthenticationmethodclientcertificate).
public let NSURLAuthenticationMethodClientCertificate = "NSURLAuthenticationMethodClientCertificate"
