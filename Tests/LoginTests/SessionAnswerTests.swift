import MessageBus
import Testing

@testable import LoginSessions

/// What logind says of sessions, read without a bus.
struct SessionAnswerTests {
    private static func session(
        user: BusValue = .uint32(1000),
        path: BusValue = .path("/session/c1"),
        more: [BusValue] = []
    ) -> BusValue {
        .structure([.string("c1"), user, .string("alice"), .string("seat0"), path] + more)
    }

    private static func answer(_ sessions: BusValue...) -> [BusValue] { [.array(of: "(susso)", sessions)] }

    @Test func `sessions are read with their users`() throws {
        let other = Self.session(user: .uint32(0), path: .path("/session/c2"))
        let sessions = try MessageBus.sessions(in: Self.answer(Self.session(), other))
        #expect(sessions == ["/session/c1": 1000, "/session/c2": 0])
        #expect(try MessageBus.sessions(in: Self.answer()) == [:])
    }

    @Test(
        arguments: [
            [], [.string("none")], answer(.string("c1")), answer(.structure([])), answer(session(more: [.bool(true)])),
            answer(session(user: .string("1000"))), answer(session(user: .uint64(1000))),
            answer(session(path: .string("/session/c1"))), answer(session(), .structure([.string("c2")])),
        ] as [[BusValue]]
    )
    func `an answer of another form is an error, and no session is left out`(answer: [BusValue]) {
        #expect(throws: BusError.unreadableAnswer) { try MessageBus.sessions(in: answer) }
    }
}
