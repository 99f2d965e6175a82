import EnclaveInterface
import Foundation
import KeychainCircles
import KeychainModel
import KeychainServiceClient
import KeychainSync
import SyncTransport

/// A device with a service of its own, and a process that carries.
final class ServiceDevice {
    let keychain: ServiceConnection
    private var processes: [Process] = []
    private let place: String

    /// - Parameter programs: the folder that they were built in.
    init(_ name: String, in folder: String, programs: String) throws {
        place = folder + "/" + name
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        let socket = place + "/keychain.sock"
        keychain = ServiceConnection(ServiceAddress(path: socket, kind: .session))
        try start(programs + "/chatelained", ["--session", "--directory", place + "/keychain", "--socket", socket])
        let end = ContinuousClock.now + .seconds(30)
        while (try? keychain.identity()) == nil, ContinuousClock.now < end { usleep(10_000) }
    }

    private func start(_ program: String, _ arguments: [String]) throws {
        let process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        process.environment = ["CHATELAINE_KEYCHAIN": "unix:" + place + "/keychain.sock"]
        process.standardError = FileHandle.nullDevice
        try process.run()
        processes.append(process)
    }

    func carry(programs: String) throws { try start(programs + "/chatelaine-sync", []) }

    func end() {
        for process in processes.reversed() {
            process.terminate()
            process.waitUntilExit()
        }
        processes = []
    }

    func token() throws -> AuthorizationToken {
        try keychain.control().authorize(.synchronize, passcode: nil)
    }

    func has(_ account: String) throws -> Bool {
        var request = FindRequest(query: ItemQuery(itemClass: .genericPassword))
        request.query.synchronizable = .any
        request.query.filters["acct"] = .string(account)
        request.returns = .data
        return try !keychain.find(request).isEmpty
    }
}

/// Measures how long a change takes from one device's service to another one's.
///
/// - Parameters:
///   - places: of the transport, as each of the two devices has it.
///   - observer: the same transport, as somebody has it who looks on.
func measureServices(
    in place: String,
    programs: String,
    items: Int,
    _ places: [TransportPlace],
    observer: any PlacedTransport
) throws {
    let transports = places.map(\.transport)
    let transport = transports[0]
    let first = try ServiceDevice("one", in: place, programs: programs)
    let second = try ServiceDevice("two", in: place, programs: programs)
    defer {
        first.end()
        second.end()
    }
    for start in stride(from: 0, to: items, by: 500) {
        let requests = (start..<min(start + 500, items)).map { KeychainOperation.add(request("account \($0)")) }
        _ = try first.keychain.performTogether(requests, allOrNothing: true, onBehalfOf: nil)
    }
    _ = try second.keychain.add(request("second"))
    try first.keychain.control().allow(.found, with: try first.token())
    let circle = try first.keychain.found()
    _ = try first.keychain.synchronize(over: transport)
    var joining = try Joining(of: second.keychain, to: circle, over: transports[1])
    var approving = try Approving(by: first.keychain, number: nil, over: transport)
    _ = try joining.takeAnswer(over: transports[1])
    _ = try approving.takeReveal(over: transport)
    func digits(_ text: String) -> SecretBytes { SecretBytes(Array(text.utf8)) }
    let shown = try first.keychain.control()
        .type(digits: digits(try second.keychain.control().ceremony().digits), with: try first.token())
    _ = try second.keychain.control().type(digits: digits(shown.digits), with: try second.token())
    try joining.join(over: transports[1])
    _ = try approving.add(over: transport)
    _ = try first.keychain.synchronize(over: transport)
    var received = 0
    let arriving = try seconds { received = try second.keychain.synchronize(over: transports[1]).received }
    precondition(received == items, "\(received) items arrived")
    for (device, place) in zip([first, second], places) {
        try device.keychain.place(place.text, device.token())
        try device.carry(programs: programs)
    }
    print("\(items) items arrived, by service  \(milliseconds(arriving))")
    sleep(2)

    // It hears of changes as devices do. It does not ask again and again, since it is on the same processors.
    let changes = try observer.changes(in: circle)

    func heads() throws -> [BlobName: [UInt8]] {
        var heads: [BlobName: [UInt8]] = [:]
        for name in try observer.list(.head, in: circle) { heads[name] = try observer.read(name, in: circle) }
        return heads
    }
    var written: [Double] = []
    var readable: [Double] = []
    var whole: [Double] = []
    for number in 0..<31 {
        // Until both have settled.
        usleep(700_000)
        let before = try heads()
        let account = "change \(number)"
        let start = ContinuousClock.now
        _ = try first.keychain.add(request(account))
        while try heads() == before { _ = try changes.wait(until: .now + .seconds(1)) }
        let there = ContinuousClock.now
        while try !second.has(account) { usleep(1_000) }
        written.append((there - start) / .seconds(1))
        readable.append((.now - there) / .seconds(1))
        whole.append((.now - start) / .seconds(1))
    }
    print("change written, by service      \(milliseconds(median(written)))")
    print("change readable after that      \(milliseconds(median(readable)))")
    print("change readable on the other    \(milliseconds(median(whole)))")
}

/// Measures how long a blob takes from one device to the other one's news of it.
func measureTransport(_ places: [TransportPlace]) throws {
    let (writer, reader) = (places[0].transport, places[1].transport)
    // Of nobody.
    let circle = SyncHash(of: Array(place.utf8))
    guard let journal = SyncName([UInt8](repeating: 1, count: 16)) else { return }
    let changes = try reader.changes(in: circle)
    while try changes.wait(until: .now + .milliseconds(500)) {}
    var news: [Double] = []
    for number in 0..<101 {
        let bytes = [UInt8](repeating: UInt8(number), count: 1_024)
        let start = ContinuousClock.now
        try writer.write(bytes, as: .head(journal), in: circle)
        while try reader.read(.head(journal), in: circle) != bytes { _ = try changes.wait(until: .now + .seconds(1)) }
        news.append((.now - start) / .seconds(1))
        usleep(20_000)
    }
    try writer.remove(.head(journal), in: circle)
    print("a blob written, and heard of    \(milliseconds(median(news)))")
}
