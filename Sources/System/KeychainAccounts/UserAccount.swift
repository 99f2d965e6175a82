import Glibc

/// A user, as the system's user database has it: /etc/passwd, or another source that nsswitch.conf(5) names, which may
/// be slow.
///
/// Code that must not wait reads only /etc/passwd: see `ServiceUsers`.
package struct UserAccount: Sendable {
    package let uid: UInt32
    package let gid: UInt32
    /// Nil for a number that no account has. What is no UTF-8 in it is replaced.
    package let name: String?
    /// The name for those who ask others about it; nil where it is no UTF-8, so that it cannot be taken for another
    /// one.
    package let exactName: String?
    package let home: String?

    /// - Returns: nil where there is no such user.
    package init?(uid: UInt32) {
        unsafe self.init { unsafe getpwuid_r(uid, $0, $1, $2, $3) }
    }

    /// - Returns: nil where there is no such user.
    package init?(name: String) {
        unsafe self.init { unsafe getpwnam_r(name, $0, $1, $2, $3) }
    }

    /// Whom an administrator means by a name or a number. A number without an account has the group of the same number.
    ///
    /// - Returns: nil for a name that no user has.
    package init?(nameOrNumber text: String) {
        guard let number = UInt32(text) else {
            self.init(name: text)
            return
        }
        self = UserAccount(uid: number) ?? UserAccount(withoutAccount: number)
    }

    private init(withoutAccount number: UInt32) {
        uid = number
        gid = number
        name = nil
        exactName = nil
        home = nil
    }

    private init?(
        _ look: (
            UnsafeMutablePointer<passwd>, UnsafeMutablePointer<CChar>, Int,
            UnsafeMutablePointer<UnsafeMutablePointer<passwd>?>
        ) -> Int32
    ) {
        var entry = unsafe passwd()
        let account = unsafe AccountTexts.withRoom { start, count in
            var found: UnsafeMutablePointer<passwd>?
            let status = unsafe look(&entry, start, count, &found)
            return unsafe (status, found != nil)
        } reading: {
            unsafe (
                uid: entry.pw_uid, gid: entry.pw_gid, name: entry.pw_name.map { unsafe String(cString: $0) },
                exactName: entry.pw_name.flatMap { unsafe String(validatingCString: $0) },
                home: entry.pw_dir.map { unsafe String(cString: $0) }
            )
        }
        guard let account else { return nil }
        (uid, gid, name, exactName, home) = account
    }
}
