import Glibc
import KeychainModel
import KeychainServiceClient
import KeychainSystem

/// A file from which the browser goes on to the address. What a program is given as an argument, every user can read.
final class OpeningFile: Sendable {
    let path: String

    /// - Throws: where it cannot be written.
    init(_ address: String) throws(SystemError) {
        let folder = Environment["XDG_RUNTIME_DIR"] ?? "/tmp"
        var generator = SystemRandomNumberGenerator()
        path = "\(folder)/chatelaine-access-\(String(generator.next(), radix: 16)).html"
        // The address has nothing in it that would mean something in HTML.
        let page = """
            <!doctype html><meta charset="utf-8"><title>Chatelaine</title>
            <meta http-equiv="refresh" content="0;url=\(address)"><p><a href="\(address)">Show the keychain</a></p>

            """
        let file = try Descriptor(opening: path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
        do throws(SystemError) {
            try file.write(Array(page.utf8))
        } catch {
            remove()
            throw error
        }
    }

    deinit { remove() }

    private func remove() { unsafe _ = unlink(path) }
}
