import Foundation

/// Brings along what casts of results need where Foundation is linked statically (`--static-swift-stdlib`).
///
/// A linker takes from an archive only what is referred to, and a cast refers to nothing: `result as? [Any]` looks up at
/// run time that arrays bridge to `NSArray`, and is nil if that part of Foundation was left in its archive.
package func bridgedTypes() -> [any _ObjectiveCBridgeable.Type] {
    [
        [Any].self, [AnyHashable: Any].self, Set<AnyHashable>.self, String.self, Data.self, Date.self, URL.self,
        UUID.self, Bool.self, Int.self, Int32.self, UInt32.self, Double.self,
    ]
}
