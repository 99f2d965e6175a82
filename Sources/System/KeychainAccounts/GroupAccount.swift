import Glibc

/// A group, as the system's group database has it.
package enum GroupAccount {
    /// The number of the group that has this name; nil where none has.
    package static func gid(named name: String) -> UInt32? {
        var entry = unsafe group()
        return unsafe AccountTexts.withRoom { start, count in
            var found: UnsafeMutablePointer<group>?
            let status = unsafe getgrnam_r(name, &entry, start, count, &found)
            return unsafe (status, found != nil)
        } reading: {
            unsafe entry.gr_gid
        }
    }
}
