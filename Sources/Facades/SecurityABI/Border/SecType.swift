import CSecurity
import Foundation
import Security

/// The types that the library adds to Core Foundation.
enum SecType {
    static let accessControl = ObjectType(name: "SecAccessControl")
    static let certificate = ObjectType(name: "SecCertificate")
    static let identity = ObjectType(name: "SecIdentity")
    static let key = ObjectType(name: "SecKey", size: unsafe MemoryLayout<CSecurityKeyObject>.size)
    static let policy = ObjectType(name: "SecPolicy")
    static let task = ObjectType(name: "SecTask")
    static let trust = ObjectType(name: "SecTrust")

    static let identifiers = Set(
        [accessControl, certificate, identity, key, policy, task, trust].map(\.identifier)
    )

    /// An object of Core Foundation that stands for a Swift object; nil if it is of none of the Sec classes.
    static func instance(for object: NSObject) -> UnsafeRawPointer? {
        unsafe type(of: object)?.instance(for: object)
    }

    private static func type(of object: NSObject) -> ObjectType? {
        switch object {
        case is SecAccessControl: accessControl
        case is SecCertificate: certificate
        case is SecIdentity: identity
        case is SecKey: key
        case is SecPolicy: policy
        case is SecTask: task
        case is SecTrust: trust
        default: nil
        }
    }
}
