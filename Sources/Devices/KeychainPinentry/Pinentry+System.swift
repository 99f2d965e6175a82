import Glibc
import KeychainSystem

extension Pinentry {
    /// The system's pinentry: the one that the administrator chose, or one that is there.
    ///
    /// The variable `PATH` is not used: a program that sets it would get the secrets. For the same reason the program,
    /// what it links to, and all folders on the way have to be root's, and writable by no other user.
    package static func find(in directories: [String] = ["/usr/bin", "/usr/local/bin"]) -> String? {
        for name in flavours {
            for directory in directories where isRoots(directory + "/" + name) { return directory + "/" + name }
        }
        return nil
    }

    /// `pinentry` is what distributions let an administrator choose.
    private static let flavours = [
        "pinentry", "pinentry-gnome3", "pinentry-qt", "pinentry-qt5", "pinentry-gtk", "pinentry-gtk-2", "pinentry-gtk2",
        "pinentry-fltk", "pinentry-x11", "pinentry-curses", "pinentry-tty",
    ]

    /// More than alternatives need.
    private static let mostLinks = 8

    private static func isRoots(_ path: String) -> Bool {
        var path = path
        for _ in 0..<mostLinks {
            guard let end = path.lastIndex(of: "/"), path.hasPrefix("/"),
                areRoots(foldersAbove: path), let folder = resolved(String(path[..<end])),
                areRoots(foldersAbove: folder + "/"),
                let state = state(of: path)
            else { return false }
            guard state.st_mode & S_IFMT == S_IFLNK else {
                return state.st_mode & S_IFMT == S_IFREG && isRoots(state) && state.st_mode & 0o111 == 0o111
            }
            guard state.st_uid == 0, let target = SymbolicLink.target(of: path) else { return false }
            path = target.hasPrefix("/") ? target : folder + "/" + target
        }
        return false
    }

    private static func areRoots(foldersAbove path: String) -> Bool {
        path.indices.filter { path[$0] == "/" }.allSatisfy { end in
            guard let state = state(of: end == path.startIndex ? "/" : String(path[..<end])) else { return false }
            // The folder that holds a link decides which users may change it.
            return state.st_mode & S_IFMT == S_IFLNK ? state.st_uid == 0 : isRoots(state)
        }
    }

    private static func isRoots(_ state: stat) -> Bool {
        state.st_uid == 0 && state.st_mode & (S_IWGRP | S_IWOTH) == 0
    }

    private static func state(of path: String) -> stat? {
        var state = stat()
        return unsafe lstat(path, &state) == 0 ? state : nil
    }

    private static func resolved(_ folder: String) -> String? {
        guard let path = unsafe realpath(folder.isEmpty ? "/" : folder, nil) else { return nil }
        defer { unsafe free(path) }
        return unsafe String(cString: path)
    }
}
