import Foundation
import Glibc
import KeychainSystem
import Security
import Terminal

/// The folder of an embedded keychain.
enum KeychainFolder {
    /// Makes a folder that was not there.
    ///
    /// - Throws: `errSecDuplicateKeychain` for one that is, also where another process was faster.
    static func make(_ folder: String, titled title: String) throws(Failure) {
        try makeParents(of: folder, titled: title)
        guard unsafe mkdir(folder, 0o700) == 0 else {
            let reason = errno
            if reason == EEXIST { throw Failure(title, errSecDuplicateKeychain) }
            throw Failure("\(SystemError(reason, title))")
        }
    }

    /// Makes the folders above one, as far as they are missing.
    static func makeParents(of folder: String, titled title: String) throws(Failure) {
        do {
            try FileManager.default.createDirectory(
                atPath: URL(filePath: folder).deletingLastPathComponent().path,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
        } catch {
            throw Failure("\(title): \(error.localizedDescription)")
        }
    }

    /// What an embedded keychain puts into its folder (docs/formats/directory.md), with what a killed process leaves behind.
    private static func isOfKeychain(_ name: String) -> Bool {
        var name = name[...]
        if name.hasSuffix(".new") { name = name.dropLast(".new".count) }
        let files = ["lock", "device.key", "keybag", "keybag.lock", "attempts", "creating", "backup-origins"]
        if files.contains(String(name)) { return true }
        for ending in ["-wal", "-shm", "-journal"] where name.hasSuffix(ending) { name = name.dropLast(ending.count) }
        return ["keychain.db", "keychain.db.copy", "keychain.db.repaired", "keychain.db.new"].contains(String(name))
            || String(name).wholeMatch(of: /keychain\.db\.damaged-[0-9]+/) != nil
    }

    /// Deletes a keychain's files, and the folder if nothing else is in it. Nothing that a keychain does not make is touched,
    /// and no link is followed.
    static func delete(_ folder: String) throws(Failure) {
        let names: [String]
        let open: Descriptor
        do throws(SystemError) {
            open = try Descriptor(opening: folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
            names = try Folder.names(in: open, atMost: .max).map { String(decoding: $0, as: UTF8.self) }
        } catch {
            throw refusal(folder, error.code)
        }
        defer { withExtendedLifetime(open) {} }
        // The keybag last: until it is gone, this is a keychain, and the command can be repeated.
        let own = names.filter(isOfKeychain).sorted { left, right in right == "keybag" && left != "keybag" }
        for name in own where unsafe unlinkat(open.number, name, 0) != 0 && errno != ENOENT {
            throw refusal(folder + "/" + name)
        }
        if own.count < names.count {
            Console.printError("security: \(TerminalText.escaped(folder)) has other files in it, and stays\n")
        } else if unsafe rmdir(folder) != 0, errno != ENOENT {
            throw refusal(folder)
        }
    }

    private static func refusal(_ path: String, _ reason: Int32 = errno) -> Failure {
        Failure("\(SystemError(reason, TerminalText.escaped(path)))")
    }
}
