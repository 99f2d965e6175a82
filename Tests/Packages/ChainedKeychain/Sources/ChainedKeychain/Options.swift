import Foundation

#if canImport(LocalAuthentication) && !os(tvOS)
import LocalAuthentication
#endif

/// What a chain has been told so far.
struct Options {
    var itemClass = kSecClassGenericPassword
    var service = ""
    var server: URL?
    var accessGroup: String?
    var accessibility = Accessibility.afterFirstUnlock
    var isSynchronizable = false
    var label: String?
    var comment: String?
    #if canImport(LocalAuthentication) && !os(tvOS)
    var context: LAContext?
    #endif

    /// For a search: whatever is synchronizable or not is found.
    func query(account: String? = nil) -> [String: Any] {
        var query: [String: Any] = [
            String(kSecClass): itemClass, String(kSecAttrSynchronizable): kSecAttrSynchronizableAny,
        ]
        if let server, let host = server.host {
            query[String(kSecAttrServer)] = host
            query[String(kSecAttrPort)] = server.port
            query[String(kSecAttrProtocol)] = server.scheme == "https" ? kSecAttrProtocolHTTPS : kSecAttrProtocolHTTP
        } else {
            query[String(kSecAttrService)] = service
        }
        #if !targetEnvironment(simulator)
        if let accessGroup { query[String(kSecAttrAccessGroup)] = accessGroup }
        #endif
        if let account { query[String(kSecAttrAccount)] = account }
        #if canImport(LocalAuthentication) && !os(tvOS)
        if let context { query[String(kSecUseAuthenticationContext)] = context }
        #endif
        return query
    }

    /// For an item that is added.
    func attributes(account: String, value: Data) -> [String: Any] {
        var attributes = query(account: account)
        attributes[String(kSecValueData)] = value
        attributes[String(kSecAttrSynchronizable)] = isSynchronizable ? kCFBooleanTrue : kCFBooleanFalse
        attributes[String(kSecAttrAccessible)] = accessibility.rawValue
        if let label { attributes[String(kSecAttrLabel)] = label }
        if let comment { attributes[String(kSecAttrComment)] = comment }
        return attributes
    }
}
