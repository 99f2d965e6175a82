import Foundation
import KeychainMessages
import KeychainModel
import KeychainProtocol
import SwiftProtobuf
import Testing

@Suite("Frames")
struct FrameTests {
    @Test func `messages come out of a stream however it is cut`() throws {
        let messages: [[UInt8]] = [
            [1], [UInt8](repeating: 2, count: 300), [3, 3], [UInt8](repeating: 4, count: 70_000),
        ]
        var stream: [UInt8] = []
        for message in messages { stream += try Frame.frame(message, limit: 1 << 20) }
        for size in [1, 3, 4, 5, 4096, 1 << 20] {
            var decoder = FrameDecoder(limit: 1 << 20)
            var found: [[UInt8]] = []
            var rest = stream[...]
            while !rest.isEmpty {
                let count = try decoder.fill { room in
                    let chunk = rest.prefix(min(size, room.count))
                    room.copyBytes(from: chunk)
                    return chunk.count
                }
                rest = rest.dropFirst(count)
                while let message = try decoder.next() { found.append(message) }
            }
            #expect(found == messages)
            #expect(!decoder.isMidway)
        }
    }

    @Test func `bytes that were read in another way count too`() throws {
        var decoder = FrameDecoder(limit: 10)
        decoder.append([0, 0, 0])
        #expect(decoder.isMidway)
        _ = try decoder.fill { room in
            room[0] = 1
            return 1
        }
        decoder.append([9, 0])
        #expect(try decoder.next() == [9])
        #expect(try decoder.next() == nil)
        #expect(decoder.isMidway)
    }

    @Test(arguments: [[0, 0, 0, 0], [0, 0, 0, 11], [255, 255, 255, 255]] as [[UInt8]])
    func `a length that no message has is refused before its bytes come`(header: [UInt8]) {
        var decoder = FrameDecoder(limit: 10)
        decoder.append(header)
        #expect(throws: KeychainError(.invalidParameter, "")) { try decoder.next() }
    }

    @Test func `an announced length alone takes no memory`() throws {
        var decoder = FrameDecoder(limit: Frame.largestResponse)
        decoder.append([5, 0, 0, 0])
        #expect(try decoder.next() == nil)
        var room = 0
        _ = try decoder.fill { buffer in
            room = buffer.count
            return 0
        }
        #expect(room > 0 && room <= 64 << 10)
    }

    @Test func `a message over the limit is not framed`() {
        #expect(throws: KeychainError(.dataTooLarge, "")) { try Frame.frame([1, 2], limit: 1) }
    }

    @Test(
        arguments: [[], [0], [0xFF], [0x0A, 5], [0x12, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], [0x13], [8, 1]] as [[UInt8]]
    )
    func `bytes that are no message are refused`(bytes: [UInt8]) {
        #expect(throws: KeychainError(.invalidParameter, "")) { try FrameCodec.decodeClient(bytes) }
        #expect(throws: KeychainError(.invalidParameter, "")) { try FrameCodec.decodeServer(bytes) }
    }

    @Test func `text that is not UTF-8 is refused`() {
        // ClientFrame.request.operation.add.access_group
        let bytes: [UInt8] = [0x12, 7, 0x12, 5, 0x0A, 3, 0x1A, 1, 0xFF]
        #expect(throws: KeychainError(.invalidParameter, "")) { try FrameCodec.decodeClient(bytes) }
    }

    @Test func `a frame of very many empty fields is refused before they take memory`() throws {
        for (path, repeated) in [
            ([0x12, 0x1A], [0x0A, 0]), ([0x12, 0x12, 0x0A], [0x12, 0]),
            ([0x12, 0x12, 0x12, 0x0A], [0x1A, 0]), ([0x12, 0x12, 0x12, 0x0A, 0x52], [0x0A, 0]),
            ([0x12, 0x12, 0x1A], [0x3A, 0]),
        ] as [([UInt8], [UInt8])] {
            var bytes = [UInt8](repeatElement(repeated, count: 250_000).joined())
            for tag in path.reversed() { bytes = [tag] + Self.length(bytes.count) + bytes }
            // Decoded, they would be a request with an error in it.
            #expect(throws: KeychainError(.invalidParameter, "")) { try FrameCodec.decodeClient(bytes) }
        }
    }

    private static func length(_ count: Int) -> [UInt8] {
        var rest = count
        var bytes: [UInt8] = []
        while rest >= 0x80 {
            bytes.append(UInt8(rest & 0x7F) | 0x80)
            rest >>= 7
        }
        return bytes + [UInt8(rest)]
    }

    @Test func `a batch of the largest number of full operations is taken`() throws {
        let operation = KeychainOperation.add(Samples.add(.internetPassword))
        let batch = Request.batch(.init(repeating: operation, count: Request.mostOperations))
        let frame = try FrameCodec.encode(.request(id: 1, batch))
        guard case .request(1, .success) = try FrameCodec.decodeClient(Array(frame.dropFirst(4))) else {
            Issue.record("the batch was refused")
            return
        }
    }

    @Test func `the proof is the one that the contract gives`() {
        // printf 'chatelaine auth v1' and 32 zero bytes and 00000001 00000002, by sha256sum.
        let proof = AuthenticationProof.proof(for: Hello(nonce: [UInt8](repeating: 0, count: 32), versions: 1...2))
        #expect(
            proof.map { String(format: "%02x", $0) }.joined()
                == "3c26a9674f3d7f404b074ad3df26d035050f7ee4289ecdeca6095d924aa42a38"
        )
    }
}
