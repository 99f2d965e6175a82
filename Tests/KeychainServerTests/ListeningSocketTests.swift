import CProbe
import Foundation
import Glibc
import KeychainModel
import KeychainProtocol
import KeychainServer
import KeychainTestSupport
import Testing

@Suite("The service's socket")
struct ListeningSocketTests {
    private let keychain: TestKeychain
    private let folder: String
    private let path: String

    init() throws {
        keychain = try TestKeychain()
        folder = keychain.surroundings
        path = folder + "/keychain.sock"
        chmod(folder, 0o755)
    }

    private func connects() -> Bool {
        let socket = cprobe_connect_as(path, getuid())
        if socket >= 0 { close(socket) }
        return socket >= 0
    }

    @Test
    func `a socket that a service left behind is replaced`() throws {
        let stale = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        _ = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(stale, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        close(stale)
        #expect(FileManager.default.fileExists(atPath: path))
        let listener = try ListeningSocket(binding: path, for: .owner)
        #expect(connects())
        listener.close()
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test
    func `a socket that is in use is never taken away`() throws {
        let first = try ListeningSocket(binding: path, for: .owner)
        #expect(throws: KeychainError(.notAvailable, "")) { try ListeningSocket(binding: path, for: .owner) }
        // Also where the file that says so is gone.
        unlink(path + ".lock")
        #expect(throws: KeychainError(.notAvailable, "")) { try ListeningSocket(binding: path, for: .owner) }
        #expect(connects())
        first.close()
    }

    @Test
    func `what is no socket stays where it is`() throws {
        try Data("precious".utf8).write(to: URL(fileURLWithPath: path))
        #expect(throws: KeychainError(.notAvailable, "")) { try ListeningSocket(binding: path, for: .owner) }
        unlink(path)
        symlink(folder + "/target", path)
        #expect(throws: KeychainError(.notAvailable, "")) { try ListeningSocket(binding: path, for: .owner) }
    }

    @Test
    func `a folder that is a link, or that others may write to, is refused`() throws {
        symlink(folder, folder + "/link")
        #expect(throws: KeychainError(.notAvailable, "")) {
            try ListeningSocket(binding: folder + "/link/keychain.sock", for: .owner)
        }
        chmod(folder, 0o775)
        #expect(throws: KeychainError(.notAvailable, "")) { try ListeningSocket(binding: path, for: .owner) }
        chmod(folder, 0o1777)
        #expect(throws: KeychainError(.notAvailable, "")) { try ListeningSocket(binding: path, for: .owner) }
    }

    @Test
    func `another user's folder is refused (as root)`() throws {
        try #require(getuid() == 0, "only root can give a folder away")
        chown(folder, 4005, 4005)
        #expect(throws: KeychainError(.notAvailable, "")) { try ListeningSocket(binding: path, for: .owner) }
    }

    @Test
    func `two services do not share a folder`() throws {
        let first = try ServiceFolder(path: folder + "/data", mode: .system, credentials: nil)
        #expect(throws: KeychainError(.notAvailable, "")) {
            try ServiceFolder(path: folder + "/data", mode: .system, credentials: nil)
        }
        #expect(first.path == folder + "/data")
    }
}
