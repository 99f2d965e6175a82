import KeychainTestSupport
import Testing

@testable import SSHAgentProtocol

/// Every length, every end and every byte of a request, changed.
struct HostileMessageTests {
    private static func frames() throws -> [[UInt8]] {
        let key = try SampleKey()
        let session = SampleSession(with: try SampleKey(.p256))
        let authority = try SampleKey()
        let hop = string(string("") + string("") + string(""))
        let target = string(
            string("u*") + string("host") + string("") + string(session.host.blob) + [0] + string(authority.blob) + [1]
        )
        let restriction =
            [255] + string("restrict-destination-v00@openssh.com") + string(string(hop + target + string("")))
        return try [
            key.adding(), try SampleKey(.p256).adding(), try SampleKey(.p521).adding(), try SampleKey(.rsa).adding(),
            try SampleCertificate(of: key, by: authority).adding(key),
            key.adding(constraints: [1] + u32(60) + [2] + restriction), key.signing(Array("data".utf8)),
            [18] + string(key.blob), [22] + string("pass"), [23] + string("pass"), session.bind(),
            [27] + string("query"),
        ]
    }

    @Test func `the requests that are attacked here are all understood as they are`() throws {
        for frame in try Self.frames() {
            if case .other = try AgentRequest(frame) { Issue.record("\(frame.prefix(1)) is not known") }
        }
    }

    @Test func `a request that is cut short at any byte is refused, or says nothing of its session`() throws {
        for frame in try Self.frames() {
            var wholes: [Int] = []
            for count in 0..<frame.count {
                switch try? AgentRequest(Array(frame.prefix(count))) {
                case nil, .bind(nil), .other: break
                case _?: wholes.append(count)
                }
            }
            // Between two constraints a request is whole: without any, with one, with two.
            #expect(wholes.count == (frame[0] == 25 ? 3 : 0), "\(frame[0]), cut at \(wholes)")
        }
    }

    @Test func `a request with a byte behind its end is refused, or says nothing of its session`() throws {
        for frame in try Self.frames() {
            switch try? AgentRequest(frame + [0]) {
            case nil, .bind(nil): break
            case let request?: Issue.record("\(frame[0]) is \(request)")
            }
        }
    }

    @Test(arguments: [0, 1, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFC, 0xFFFF_FFFF])
    func `any four bytes that become another length crash nothing`(length: Int) throws {
        for frame in try Self.frames() {
            for position in 1..<max(frame.count - 4, 2) {
                var changed = frame
                changed.replaceSubrange(position..<min(position + 4, frame.count), with: u32(length))
                var agent = TestAgent()
                _ = agent.answer(changed)
            }
        }
    }

    @Test func `any changed byte crashes nothing, and no key is taken in whose halves do not fit`() throws {
        var random = Seeded()
        for frame in try Self.frames() {
            for position in frame.indices {
                var changed = frame
                changed[position] ^= UInt8.random(in: 1...255, using: &random)
                var agent = TestAgent()
                _ = agent.answer(changed)
                // A flipped bit in the private half alone has to be noticed.
                guard case .add(let new)? = try? AgentRequest(changed) else { continue }
                let data = Array("sample".utf8)
                let signature = try new.key.signature(of: data, flags: .rsaSHA512)
                #expect(new.key.publicKey.isValid(signature, of: data))
            }
        }
    }

    @Test(arguments: [0, 256 << 10 + 1, 0x7FFF_FFFF, 0xFFFF_FFFF])
    func `a frame of an impossible length ends the stream before anything is kept`(length: Int) throws {
        var reader = FrameReader()
        #expect(throws: SSHFormatError.self) { try reader.receive(u32(length)) }
    }

    @Test func `a frame is whole whatever the pieces that it comes in`() throws {
        let content = (0..<1_000).map { UInt8(truncatingIfNeeded: $0) }
        for size in [1, 3, 4, 5, 999] {
            var reader = FrameReader()
            var rest = string(content)[...]
            var frame: [UInt8]?
            while frame == nil {
                let count = min(size, reader.wanted)
                frame = try reader.receive(rest.prefix(count))
                rest = rest.dropFirst(count)
            }
            #expect(frame == content)
            #expect(!reader.isInsideFrame)
        }
    }

    @Test func `the largest frame is taken`() throws {
        var reader = FrameReader()
        #expect(try reader.receive(u32(256 << 10)) == nil)
        #expect(try reader.receive([UInt8](repeating: 7, count: 256 << 10))?.count == 256 << 10)
    }

    @Test(arguments: [1, 9, 12, 20, 21, 26, 30, 200, 255])
    func `what this agent does not do is answered with a failure`(number: UInt8) throws {
        var agent = TestAgent()
        #expect(agent.answer([number, 1, 2, 3]) == .reply(.failure))
    }

    @Test func `an extension that is unknown is answered with a failure`() throws {
        var agent = TestAgent()
        #expect(agent.answer([27] + string("other@example.org") + [1, 2, 3]) == .reply(.failure))
    }

    @Test func `the question for extensions names those that there are`() throws {
        var agent = TestAgent()
        let reply = AgentReply.extensions(["query", "session-bind@openssh.com"])
        #expect(agent.answer([27] + string("query")) == .reply(reply))
        #expect(reply.frame == string([29] + string("query") + string("query") + string("session-bind@openssh.com")))
    }
}
