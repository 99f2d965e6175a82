import Foundation
import KeychainSamples

/// The least that asking another process costs: a hundred bytes to it over a UNIX socket, and a hundred back.
final class RoundTripFloor {
    private let process = Process()
    private let socket: Int32
    private var buffer = [UInt8](repeating: 7, count: size)
    private static let size = 100

    init() throws {
        var ends: [Int32] = [0, 0]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0 else { throw Failure("no socketpair") }
        socket = ends[0]
        process.executableURL = Bundle.main.executableURL
        process.arguments = ["echo"]
        process.standardInput = FileHandle(fileDescriptor: ends[1], closeOnDealloc: true)
        try process.run()
    }

    deinit {
        close(socket)
        process.waitUntilExit()
    }

    func roundTrip() throws {
        guard send(socket, buffer, Self.size, 0) == Self.size,
            recv(socket, &buffer, Self.size, Int32(MSG_WAITALL)) == Self.size
        else { throw Failure("the echo has gone") }
    }

    /// The other end, on standard input.
    static func echo() {
        var buffer = [UInt8](repeating: 0, count: size)
        while recv(0, &buffer, size, Int32(MSG_WAITALL)) == size, send(0, buffer, size, 0) == size {}
    }
}
