import Testing

@testable import KeychainSystem

/// What systemd says of the sockets that it has opened.
struct HandedSocketsTests {
    private func names(_ environment: [String: String]) -> [String] {
        HandedSockets.sockets(of: 77) { environment[$0] }.map { "\($0.number) \($0.name)" }
    }

    @Test func `sockets have the numbers from 3 on, and their names in order`() {
        #expect(names(["LISTEN_PID": "77", "LISTEN_FDS": "1"]) == ["3 "])
        #expect(
            names(["LISTEN_PID": "77", "LISTEN_FDS": "3", "LISTEN_FDNAMES": "clients::control"])
                == ["3 clients", "4 ", "5 control"]
        )
        #expect(names(["LISTEN_PID": "77", "LISTEN_FDS": "64"]).last == "66 ")
    }

    @Test func `a name too few or too many changes no number`() {
        #expect(names(["LISTEN_PID": "77", "LISTEN_FDS": "2", "LISTEN_FDNAMES": "a"]) == ["3 a", "4 "])
        #expect(names(["LISTEN_PID": "77", "LISTEN_FDS": "1", "LISTEN_FDNAMES": "a:b"]) == ["3 a"])
    }

    @Test(arguments: [
        ["LISTEN_PID": "78", "LISTEN_FDS": "1"], ["LISTEN_FDS": "1"], ["LISTEN_PID": "77"],
        ["LISTEN_PID": "", "LISTEN_FDS": ""],
        ["LISTEN_PID": "77", "LISTEN_FDS": "0"], ["LISTEN_PID": "77", "LISTEN_FDS": "65"],
        ["LISTEN_PID": "77", "LISTEN_FDS": "-1"], ["LISTEN_PID": "77", "LISTEN_FDS": "99999999999"],
        ["LISTEN_PID": "77", "LISTEN_FDS": "1 "], ["LISTEN_PID": "77x", "LISTEN_FDS": "1"],
    ])
    func `another process's sockets, and a number that cannot be, are none`(environment: [String: String]) {
        #expect(names(environment).isEmpty)
    }
}
