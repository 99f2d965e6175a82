import CProbe
import Foundation
import Glibc
import KeychainModel
import KeychainProtocol
import KeychainTestSupport

/// A client that says whatever it likes. It needs an open gate.
final class RawClient {
    let socket: Int32
    private var decoder = FrameDecoder(limit: Frame.largestResponse)
    private var lastRequest: UInt64 = 0

    struct Ended: Error {}
    struct Refused: Error {
        let error: KeychainError
    }

    /// Connects, as another user if one is named: only root can.
    init(_ path: String, uid: UInt32 = getuid()) throws {
        socket = cprobe_connect_as(path, uid)
        guard socket >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        // No answer takes so long.
        var patience = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    }

    /// Connects and waits for its welcome.
    static func admitted(_ path: String, uid: UInt32 = getuid()) throws -> RawClient {
        let client = try RawClient(path, uid: uid)
        guard case .welcome = try client.receive() else { throw Ended() }
        return client
    }

    deinit {
        close()
    }

    private var isClosed = false

    func close() {
        if !isClosed { Glibc.close(socket) }
        isClosed = true
    }

    /// - Returns: false when the other end does not take them.
    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                Glibc.send(socket, $0.baseAddress.map { $0 + sent }, $0.count - sent, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    /// - Throws: `Ended` at the end of the connection.
    func receive() throws -> ServerMessage {
        while true {
            if let message = try decoder.next() { return try FrameCodec.decodeServer(message) }
            let count = try decoder.fill { room in max(0, recv(socket, room.baseAddress, room.count, 0)) }
            guard count > 0 else { throw Ended() }
        }
    }

    /// Reads until the end of the connection.
    func waitForEnd() {
        while (try? receive()) != nil {}
    }

    static func frame(_ request: Request, id: UInt64 = 1) throws -> [UInt8] {
        try FrameCodec.encode(.request(id: id, request))
    }

    /// The parts of an answer.
    func ask(_ request: Request) throws -> [Response.Body] {
        lastRequest += 1
        guard send(try Self.frame(request, id: lastRequest)) else { throw Ended() }
        return try answer()
    }

    func answer() throws -> [Response.Body] {
        var parts: [Response.Body] = []
        while true {
            switch try receive() {
            case .response(let response):
                parts.append(response.body)
                if !response.hasMore { return parts }
            case .refusal(let error): throw Refused(error: error)
            case .hello, .welcome, .event: throw Ended()
            }
        }
    }

    func status() throws -> ServiceStatus {
        guard case .status(let status) = try ask(.status).first else { throw Ended() }
        return status
    }

    // MARK: - Items

    static func add(_ account: String, secret: [UInt8] = Array("secret".utf8)) -> KeychainOperation {
        var request = AddRequest(itemClass: .genericPassword)
        request.attributes["acct"] = .string(account)
        request.attributes["svce"] = .string("service")
        request.secrets[.valueData] = SecretBytes(secret)
        return .add(request)
    }

    static func find(_ account: String? = nil, limit: MatchLimit = .one, explain: Bool = false)
        -> KeychainOperation
    {
        var query = ItemQuery(itemClass: .genericPassword)
        if let account { query.filters["acct"] = .string(account) }
        var request = FindRequest(query: query)
        request.limit = limit
        request.returns = [.data, .attributes]
        return explain ? .find(request).explained : .find(request)
    }

    static func delete(_ account: String) -> KeychainOperation {
        var query = ItemQuery(itemClass: .genericPassword)
        query.filters["acct"] = .string(account)
        return .delete(DeleteRequest(query: query))
    }

    /// - Returns: the number of items of an answer, or of those that were changed.
    func count(_ operation: KeychainOperation) throws -> Int {
        try ask(.operation(operation)).reduce(0) { try $0 + Self.count($1) }
    }

    private static func count(_ body: Response.Body) throws -> Int {
        guard case .outcome(let outcome) = body else { throw Ended() }
        switch try outcome.get().answer {
        case .items(let items): return items.count
        case .count(let count): return count
        case .key, .secret: throw Ended()
        }
    }
}

extension OperationOutcome {
    /// For comparison: the error's code, or the number.
    var summary: String {
        if let error { return "\(error.code)" }
        return switch answer {
        case .items(let items): "\(items.count) items"
        case .count(let count): "\(count)"
        case .key, .secret, nil: "a key"
        }
    }
}
