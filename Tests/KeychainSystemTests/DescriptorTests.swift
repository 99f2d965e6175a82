import Foundation
import Glibc
import KeychainSystem
import Testing

@Suite("Open descriptors")
struct DescriptorTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func file(_ bytes: [UInt8], _ flags: Int32 = O_RDWR) throws -> Descriptor {
        try Data(bytes).write(to: URL(filePath: folder.path + "/file"))
        return try Descriptor(opening: folder.path + "/file", flags)
    }

    private static let sizes = [0, 1, 4_095, 4_096, 4_097, 100_000, 3 << 20]

    @Test(arguments: sizes)
    func `a file is read up to its end, whatever its size`(size: Int) throws {
        let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let file = try file(bytes)
        #expect(try file.prefix(.max, from: 0) == bytes)
        #expect(try file.prefix(size / 2, from: 0) == Array(bytes.prefix(size / 2)))
        #expect(try file.prefix(.max, from: UInt64(size / 3)) == Array(bytes.dropFirst(size / 3)))
        #expect(try file.contents(atMost: size) == bytes)
    }

    @Test func `a file that is larger than it may be is refused, not cut off`() throws {
        let error = #expect(throws: SystemError.self) { try file([1, 2, 3]).contents(atMost: 2) }
        #expect(error?.code == EFBIG)
    }

    @Test func `all bytes are written, however few the other end takes at once`() async throws {
        let (reader, writer) = try Descriptor.pipe()
        let bytes = [UInt8](repeating: 7, count: 1 << 20)
        async let read = Task.detached {
            var all: [UInt8] = []
            while case let piece = try reader.prefix(1_000), !piece.isEmpty { all += piece }
            return all
        }.value
        try writer.write(bytes)
        close(writer)
        #expect(try await read == bytes)
    }

    /// Ends the last use of an end of a pipe.
    private func close(_ descriptor: Descriptor) {
        Glibc.dup2(open("/dev/null", O_WRONLY | O_CLOEXEC), descriptor.number)
    }

    @Test func `what cannot be opened says its path and why`() {
        let path = folder.path + "/missing"
        let error = #expect(throws: SystemError.self) { try Descriptor(opening: path, O_RDONLY) }
        #expect(error?.code == ENOENT)
        #expect(error?.description == "\(path) cannot be opened: No such file or directory")
    }

    @Test func `no program that is started later gets a descriptor`() throws {
        let file = try file([])
        let (reader, writer) = try Descriptor.pipe()
        let (one, other) = try Descriptor.pair(SOCK_SEQPACKET)
        for descriptor in [file, reader, writer, one, other] {
            #expect(fcntl(descriptor.number, F_GETFD) & FD_CLOEXEC != 0)
        }
    }

    @Test func `a lock lasts until its descriptor is closed`() throws {
        _ = try file([])
        let path = folder.path + "/file"
        let second = try Descriptor(opening: path, O_RDWR)
        do {
            let first = try Descriptor(opening: path, O_RDWR)
            try first.lock()
            #expect(try !second.lockIfFree())
            withExtendedLifetime(first) {}
        }
        #expect(try second.lockIfFree())
        second.unlock()
        #expect(try Descriptor(opening: path, O_RDWR).lockIfFree())
    }

    @Test func `both ends of a pair are this process's`() throws {
        let (one, other) = try Descriptor.pair(SOCK_STREAM)
        for end in [one, other] {
            let peer = try #require(end.peer)
            #expect(peer.pid == getpid() && peer.uid == geteuid() && peer.gid == getegid())
        }
        #expect(try file([]).peer == nil)
    }
}
