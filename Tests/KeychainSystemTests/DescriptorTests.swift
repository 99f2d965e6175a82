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
        let bytes = [UInt8](repeating: 7, count: 1 << 20)
        let reader: Descriptor
        let read: Task<[UInt8]?, Never>
        do {
            let (end, writer) = try Descriptor.pipe()
            reader = end
            read = Task {
                await withCheckedContinuation { continuation in
                    Thread.detachNewThread {
                        var all: [UInt8] = []
                        while let piece = try? end.prefix(1_000), !piece.isEmpty { all += piece }
                        continuation.resume(returning: all)
                    }
                }
            }
            try writer.write(bytes)
            withExtendedLifetime(writer) {}
        }
        #expect(await read.value == bytes)
        withExtendedLifetime(reader) {}
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
        // A program that another test starts just now has it open until it is that program.
        let end = ContinuousClock.now + .seconds(10)
        while try !second.lockIfFree(), .now < end { usleep(10_000) }
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
