import CProbe
import Foundation
import Glibc
import KeychainSystem
import Testing

@Suite("A socket that listens")
struct ListeningSocketTests {
    private let temporary: TemporaryFolder
    private let folder: String
    private let path: String

    init() throws {
        temporary = try TemporaryFolder()
        folder = temporary.path
        path = folder + "/keychain.sock"
        chmod(folder, 0o755)
    }

    private func refusal(of path: String) -> Int32? {
        do throws(SystemError) {
            try ListeningSocket(binding: path, for: .owner).close()
            return nil
        } catch {
            return error.code
        }
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
    func `a socket that a child of a killed service still has is replaced once the child has ended`() throws {
        let first = try ListeningSocket(binding: path, for: .owner)
        // What a child inherits, and the lock that goes with the service.
        let inherited = dup(first.descriptor)
        unlink(path + ".lock")
        Thread.detachNewThread {
            usleep(300_000)
            close(first.descriptor)
            close(inherited)
        }
        let second = try ListeningSocket(binding: path, for: .owner)
        #expect(connects())
        second.close()
    }

    @Test
    func `a socket that is in use is never taken away`() throws {
        let first = try ListeningSocket(binding: path, for: .owner)
        #expect(refusal(of: path) == EADDRINUSE)
        // Also where the file that says so is gone.
        unlink(path + ".lock")
        #expect(refusal(of: path) == EADDRINUSE)
        #expect(connects())
        first.close()
    }

    @Test(arguments: [(ListeningSocket.Audience.owner, 0o600 as UInt32), (.everybody, 0o666)])
    func `a socket is open to its audience and to nobody else`(
        audience: ListeningSocket.Audience,
        mode: UInt32
    ) throws {
        let listener = try ListeningSocket(binding: path, for: audience)
        defer { listener.close() }
        #expect(try FileStamp(path: path)?.mode == S_IFSOCK | mode)
    }

    @Test
    func `what is no socket stays where it is`() throws {
        try Data("precious".utf8).write(to: URL(fileURLWithPath: path))
        #expect(refusal(of: path) == EEXIST)
        #expect(try temporary.names() == ["keychain.sock"], "a refusal leaves nothing behind")
        unlink(path)
        symlink(folder + "/target", path)
        #expect(refusal(of: path) == EEXIST)
    }

    @Test
    func `a path that is too long for a socket, or that begins nowhere, is refused, and nothing is made`() throws {
        #expect(refusal(of: folder + "/" + String(repeating: "s", count: 108 - folder.utf8.count)) == ENAMETOOLONG)
        #expect(refusal(of: "keychain.sock") == EINVAL)
        #expect(refusal(of: "@keychain.sock") == EINVAL)
        #expect(try temporary.names() == [])
        let longest = folder + "/" + String(repeating: "s", count: 106 - folder.utf8.count)
        #expect(longest.utf8.count == 107)
        #expect(refusal(of: longest) == nil)
    }

    @Test
    func `a folder that is a link, or that others may write to, is refused`() throws {
        symlink(folder, folder + "/link")
        #expect(refusal(of: folder + "/link/keychain.sock") == ENOTDIR)
        chmod(folder, 0o775)
        #expect(refusal(of: path) == EPERM)
        chmod(folder, 0o1777)
        #expect(refusal(of: path) == EPERM)
    }

    @Test
    func `another user's folder is refused (as root)`() throws {
        try #require(getuid() == 0, "only root can give a folder away")
        chown(folder, 4005, 4005)
        #expect(refusal(of: path) == EPERM)
    }
}
