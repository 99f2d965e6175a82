import Foundation
import Glibc
import KeychainPinentry
import KeychainTestSupport
import Testing

/// What is left of a secret in the memory of whoever asked. One test would find what the other one has just looked at.
@Suite(.serialized) struct SecretTracesTests {
    /// A secret that is in memory at one place, which is known.
    private final class Needle {
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 32, alignment: 16)

        init() {
            for index in bytes.indices { bytes[index] = UInt8.random(in: 0x41...0x5A) }
        }

        deinit {
            bytes.deallocate()
        }

        /// As a `D` line has it: nowhere in this is the secret itself.
        var escaped: String {
            bytes.map { "%" + String($0, radix: 16) }.joined()
        }
    }

    /// Memory that may be written, and a place to look at it. They are made before a secret comes: what is allocated after
    /// it would overwrite its traces.
    private final class Memory {
        let regions: [Range<UInt>]
        let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)

        init() throws {
            regions = try KernelFile.text("/proc/self/maps").split(separator: "\n").compactMap {
                let fields = $0.split(separator: " ")
                let ends = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
                return ends.count == 2 && fields[1].hasPrefix("rw") ? ends[0]..<ends[1] : nil
            }
        }

        deinit {
            chunk.deallocate()
        }
    }

    /// How often the bytes are in memory, but for where they came from.
    private func count(_ needle: Needle, in memory: Memory, excludesOwn: Bool = true) throws -> Int {
        let file = open("/proc/self/mem", O_RDONLY | O_CLOEXEC)
        try #require(file >= 0, "errno \(errno)")
        defer { close(file) }
        let overlap = needle.bytes.count - 1
        let chunk = memory.chunk
        let excluded = (excludesOwn ? [needle.bytes, chunk] : [chunk]).map { buffer in
            let start = UInt(bitPattern: buffer.baseAddress)
            return start..<start + UInt(buffer.count)
        }
        var found = 0
        for region in memory.regions {
            var position = region.lowerBound
            while position < region.upperBound {
                let read = pread(
                    file,
                    chunk.baseAddress,
                    min(chunk.count, Int(region.upperBound - position)),
                    off_t(position)
                )
                // Pages of another test's may be gone by now; what is behind them is not.
                guard read > overlap else {
                    position = (position / Self.page + 1) * Self.page
                    continue
                }
                for offset in offsets(of: needle.bytes, in: UnsafeRawBufferPointer(rebasing: chunk[..<read])) {
                    let address = position + UInt(offset)
                    if !excluded.contains(where: { $0.contains(address) }) { found += 1 }
                }
                position += UInt(read - overlap)
            }
        }
        return found
    }

    private static let page: UInt = 4_096

    private func offsets(of needle: UnsafeMutableRawBufferPointer, in bytes: UnsafeRawBufferPointer) -> [Int] {
        guard let start = bytes.baseAddress else { return [] }
        var offsets: [Int] = []
        var position = 0
        while bytes.count - position >= needle.count,
            let hit = memchr(start + position, Int32(needle[0]), bytes.count - position - needle.count + 1)
        {
            let offset = UnsafeRawPointer(hit) - start
            // Byte by byte: memcmp(3) would have all of it in a register, which is saved where one looks next.
            if needle.indices.allSatisfy({ bytes[offset + $0] == needle[$0] }) { offsets.append(offset) }
            position = offset + 1
        }
        return offsets
    }

    /// What is written at the beginning and the end of memory that is freed is not what is looked for.
    private let padding = String(repeating: "-", count: 100)

    /// Asks twice, so that the second time needs no memory that was not there.
    private func ask(_ asked: String) throws -> (PinentryAnswer?, Memory) {
        let script = try ScriptedPinentry(asked: asked)
        _ = try script.ask()
        let memory = try Memory()
        return (try script.ask(), memory)
    }

    @Test func `of a secret there is one copy, and none when it is not needed any more`() throws {
        let needle = Needle()
        var (answer, memory) = try ask("echo 'D \(padding)\(needle.escaped)\(padding)'; echo OK")
        // The one copy may lie in memory that was not there before, among others' tests.
        #expect(try count(needle, in: memory) <= 1)
        let own = UInt(bitPattern: needle.bytes.baseAddress)
        #expect(memory.regions.contains { $0.contains(own) })
        #expect(try count(needle, in: memory, excludesOwn: false) >= 1)
        _ = answer
        answer = nil
        #expect(try count(needle, in: memory) == 0)
    }

    @Test func `a secret that comes unescaped leaves no more`() throws {
        let needle = Needle()
        // The shell decodes it.
        let octal = needle.bytes.map { "\\" + String($0, radix: 8) }.joined()
        var (answer, memory) = try ask("printf 'D %s\(octal)%s\\nOK\\n' \(padding) \(padding)")
        // The one copy may lie in memory that was not there before, among others' tests.
        #expect(try count(needle, in: memory) <= 1)
        let own = UInt(bitPattern: needle.bytes.baseAddress)
        #expect(memory.regions.contains { $0.contains(own) })
        #expect(try count(needle, in: memory, excludesOwn: false) >= 1)
        _ = answer
        answer = nil
        #expect(try count(needle, in: memory) == 0)
    }
}
