import Glibc

/// A security key behind a SEQPACKET socket, as a browser uses one: CTAPHID reports of 64 bytes (CTAP 2.1, 11.2).
struct SecurityKey: ~Copyable {
    enum Failure: Error {
        case unreachable(Int32)
        case notAnswered
        /// A status of CTAP (section 6.3).
        case refused(UInt8)
    }

    private static let reportSize = 64
    private static let initialize: UInt8 = 0x86
    private static let cbor: UInt8 = 0x90
    private static let keepalive: UInt8 = 0xBB

    private let socket: Int32
    private var channel: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF]

    init(path: String) throws {
        socket = Glibc.socket(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
        let status = withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard status == 0 else { throw Failure.unreachable(errno) }
        channel = Array(try exchange(Self.initialize, Array(repeating: 7, count: 8))[8..<12])
    }

    deinit { close(socket) }

    /// Asks for something, and waits for as long as a person takes.
    ///
    /// - Parameters:
    ///   - command: of CTAP (section 6).
    ///   - parameters: in CBOR.
    /// - Returns: the answer, in CBOR.
    func ask(_ command: UInt8, _ parameters: [UInt8]) throws -> [UInt8] {
        let answer = try exchange(Self.cbor, [command] + parameters)
        guard let status = answer.first else { throw Failure.notAnswered }
        guard status == 0 else { throw Failure.refused(status) }
        return Array(answer.dropFirst())
    }

    private func exchange(_ command: UInt8, _ message: [UInt8]) throws -> [UInt8] {
        try write(channel + [command, UInt8(message.count >> 8), UInt8(message.count & 0xFF)] + message.prefix(57))
        var rest = message.dropFirst(57)
        var sequence: UInt8 = 0
        while !rest.isEmpty {
            try write(channel + [sequence] + rest.prefix(59))
            rest = rest.dropFirst(59)
            sequence += 1
        }
        var report = try read()
        while report[4] == Self.keepalive { report = try read() }
        guard report[4] == command else { throw Failure.notAnswered }
        let count = Int(report[5]) << 8 | Int(report[6])
        var answer = Array(report[7...])
        while answer.count < count { answer += try read()[5...] }
        return Array(answer.prefix(count))
    }

    private func write(_ report: [UInt8]) throws {
        let report = report + Array(repeating: 0, count: Self.reportSize - report.count)
        guard send(socket, report, report.count, Int32(MSG_NOSIGNAL)) == report.count else {
            throw Failure.unreachable(errno)
        }
    }

    private func read() throws -> [UInt8] {
        var report: [UInt8] = Array(repeating: 0, count: Self.reportSize)
        guard recv(socket, &report, report.count, 0) == report.count else { throw Failure.notAnswered }
        return report
    }
}
