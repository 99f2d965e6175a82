import Glibc

/// Where a user's own keychain and service are, for programs and for the service alike (XDG Base Directory Specification).
package enum PersonalPlaces {
    /// `$XDG_DATA_HOME/chatelaine/keychain`, where that is an absolute path; otherwise the usual place below `$HOME`, or below
    /// the home that the user database has.
    ///
    /// - Parameter environment: variables that may be believed.
    /// - Returns: nil where there is no home.
    package static func keychain(_ environment: (String) -> String?) -> String? {
        if let data = environment("XDG_DATA_HOME"), data.hasPrefix("/") { return data + "/chatelaine/keychain" }
        let home = environment("HOME") ?? UserAccount(uid: geteuid())?.home
        guard let home, home.hasPrefix("/") else { return nil }
        return home + "/.local/share/chatelaine/keychain"
    }

    /// The socket of a user's own service.
    ///
    /// - Parameters:
    ///   - folder: what `XDG_RUNTIME_DIR` says, where it may be believed. A relative path is ignored.
    ///   - usual: the folder that counts without it.
    package static func socket(in folder: String?, otherwise usual: String) -> String {
        let folder = folder.flatMap { $0.hasPrefix("/") ? $0 : nil } ?? usual
        return folder + "/chatelaine/keychain.sock"
    }
}
