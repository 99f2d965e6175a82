import Foundation
import Security

/// The types that the library adds to Core Foundation.
enum SecType {
    static let accessControl = ObjectType(name: "SecAccessControl")
    static let certificate = ObjectType(name: "SecCertificate")

    private static let all = [accessControl, certificate]

    static let identifiers = Set(all.map(\.identifier))

    /// An object of Core Foundation that stands for a Swift object; nil if it is of none of the Sec classes.
    static func instance(for object: NSObject) -> UnsafeRawPointer? {
        unsafe type(of: object)?.instance(for: object)
    }

    private static func type(of object: NSObject) -> ObjectType? {
        switch object {
        case is SecAccessControl: accessControl
        case is SecCertificate: certificate
        default: nil
        }
    }
}
