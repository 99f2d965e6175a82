import Glibc
package import KeychainModel

/// Places in the file system that only trusted users can exchange.
package enum Place {
    /// Goes up from a file or folder to the root.
    ///
    /// - Parameters:
    ///   - path: absolute or relative; links in the folders before it are resolved, the last component may be none.
    ///   - isTrusted: of a user, whether he may own them.
    /// - Throws: `notAvailable` naming the one that others may write to.
    package static func check(_ path: String, isTrusted: (UInt32) -> Bool) throws(KeychainError) {
        var current = try resolved(path)
        var isOnTheWay = false
        while true {
            guard let stamp = try FileStamp(path: current) else {
                throw KeychainError(.notAvailable, "\(current) is not there any more")
            }
            // In a sticky folder nobody exchanges what is another's. What the path itself names is not protected by that.
            let isProtected = !stamp.isWritableToOthers || (stamp.isSticky && isOnTheWay)
            guard isTrusted(stamp.owner), isProtected else {
                throw KeychainError(
                    .notAvailable,
                    "others than root can write to \(current): its owner has to be root, and its mode without write"
                        + " permission for group and others"
                )
            }
            if current == "/" { return }
            current = parent(of: current)
            isOnTheWay = true
        }
    }

    /// The path without links and dots.
    ///
    /// - Throws: `notAvailable` where the last component is a link.
    package static func resolved(_ path: String) throws(KeychainError) -> String {
        guard let stamp = try FileStamp(path: path) else { throw KeychainError(.notAvailable, "\(path) is not there") }
        guard !stamp.isLink else { throw KeychainError(.notAvailable, "\(path) is a link; name the file itself") }
        guard let real = unsafe realpath(path, nil) else { throw KeychainError(errno: errno, "\(path) cannot be found") }
        defer { unsafe free(real) }
        return unsafe String(cString: real)
    }

    static func parent(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}
