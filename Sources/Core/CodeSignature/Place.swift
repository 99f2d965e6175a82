import Glibc
package import KeychainModel
import KeychainSystem

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
            guard let stamp = try FileStamp.of(path: current) else {
                throw KeychainError(.notAvailable, "\(current) is not there any more")
            }
            // In a sticky folder no user replaces another's files. The file that the path itself names is not protected
            // by that.
            let isProtected = !stamp.isWritableToOthers || (stamp.isSticky && isOnTheWay)
            guard isTrusted(stamp.owner), isProtected else {
                throw KeychainError(
                    .notAvailable,
                    "others than root can write to \(current): its owner has to be root, and its mode without write"
                        + " permission for group and others"
                )
            }
            if current == "/" { return }
            current = Folder.path(of: current)
            isOnTheWay = true
        }
    }

    /// The path without links and dots.
    ///
    /// - Throws: `notAvailable` where the last component is a link.
    package static func resolved(_ path: String) throws(KeychainError) -> String {
        guard let stamp = try FileStamp.of(path: path) else {
            throw KeychainError(.notAvailable, "\(path) is not there")
        }
        guard !stamp.isLink else { throw KeychainError(.notAvailable, "\(path) is a link; name the file itself") }
        return try real(path)
    }
}

extension Place {
    /// Looks at a path as a program does that opens it again and again: only root may exchange any part of it, links
    /// included. What is not there is all right where only root can create it.
    static func checkEveryName(_ path: String) throws(KeychainError) {
        var budget = 256
        try checkEveryName(path, budget: &budget)
    }

    private static func checkEveryName(_ path: String, budget: inout Int) throws(KeychainError) {
        var current = ""
        var names = path.split(separator: "/").map(String.init)[...]
        try checkName("/")
        while let name = names.popFirst() {
            budget -= 1
            guard budget > 0 else { throw KeychainError(.notAvailable, "\(path) has too many links") }
            if name == "." { continue }
            if name == ".." {
                current = current.isEmpty ? "" : Folder.path(of: current)
                if current == "/" { current = "" }
                continue
            }
            let next = current + "/" + name
            guard let stamp = try FileStamp.of(path: next) else { return try checkIsClosed(current) }
            guard stamp.isLink else {
                try checkName(next)
                current = next
                continue
            }
            guard stamp.owner == 0 else { throw exchangeable(next) }
            let target = try target(of: next)
            if target.hasPrefix("/") { current = "" }
            names = (target.split(separator: "/").map(String.init) + names)[...]
        }
        try checkIsClosed(current)
    }

    /// In a sticky folder no user replaces root's files.
    private static func checkName(_ path: String) throws(KeychainError) {
        guard let stamp = try FileStamp.of(path: path), stamp.owner == 0, !stamp.isWritableToOthers || stamp.isSticky
        else {
            throw exchangeable(path)
        }
    }

    /// No other user may be able to create the missing part of a path, even in a sticky folder.
    private static func checkIsClosed(_ path: String) throws(KeychainError) {
        guard let stamp = try FileStamp.of(path: path.isEmpty ? "/" : path), !stamp.isWritableToOthers else {
            throw exchangeable(path)
        }
    }

    private static func exchangeable(_ path: String) -> KeychainError {
        KeychainError(
            .notAvailable,
            "the program loads libraries by way of \(path), which others than root can write to; put them where only root can,"
                + " or link with -static-stdlib"
        )
    }

    private static func target(of link: String) throws(KeychainError) -> String {
        guard let target = SymbolicLink.target(of: link) else {
            throw KeychainError(.notAvailable, "\(link) cannot be read")
        }
        return target
    }

    /// The path without links, of any existing file.
    static func real(_ path: String) throws(KeychainError) -> String {
        guard let real = unsafe realpath(path, nil) else {
            throw KeychainError(errno: errno, "\(path) cannot be found")
        }
        defer { unsafe free(real) }
        return unsafe String(cString: real)
    }
}
