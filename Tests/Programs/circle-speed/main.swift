import EnclaveInterface
import Foundation
import KeychainCircles
import KeychainEngine
import KeychainModel
import KeychainSync
import LocalEnclave
import Logging
import SyncTransport

// Measures synchronization between keychains on this machine: `circle-speed`, or `circle-speed PROGRAMS` with services and
// carriers that were built in that folder, or `circle-speed PROGRAMS ADDRESS ADDRESS ADDRESS` with the same over a cluster, of which
// the first two addresses are the devices', and the third is somebody's who looks on.
//
// How long 15,000 items take to arrive at a new device, beside the same items out of a backup; how long a change takes from one
// device's files to the other's store, beside adding an item there; what a round costs in which nothing is new.

let caller = Caller(name: "speed", groups: AccessGroups(["speed"]))

func request(_ account: String) -> AddRequest {
    var request = AddRequest(itemClass: .genericPassword)
    request.attributes["svce"] = .string("service of \(account)")
    request.attributes["acct"] = .string(account)
    request.secrets[.valueData] = SecretBytes(Array("a password of usual length".utf8))
    request.isSynchronizable = true
    return request
}

struct Device {
    let engine: KeychainEngine
    let owner: any EnclaveControl
    let transport: FolderTransport

    init(_ name: String, in folder: String, _ transport: FolderTransport) throws {
        let log = Logger(label: "speed") { _ in SwiftLogNoOpLogHandler() }
        engine = try KeychainDirectory(path: folder + "/" + name).open(log: log)
        owner = try engine.ownerControl()
        self.transport = transport
    }

    func token(_ operation: GuardedOperation) throws -> AuthorizationToken {
        try owner.authorize(operation, passcode: nil)
    }

    @discardableResult
    func synchronize() throws -> SyncReport { try engine.circle.synchronize(over: transport) }

    func found() throws {
        try owner.allow(.found, with: try token(.synchronize))
        _ = try engine.circle.found()
    }

    func approve(_ other: Device) throws {
        try synchronize()
        guard let circle = try engine.circle.replica()?.circle.id else { return }
        var joining = try Joining(of: other.engine.circle, to: circle, over: transport)
        var approving = try Approving(by: engine.circle, number: nil, over: transport)
        _ = try joining.takeAnswer(over: transport)
        _ = try approving.takeReveal(over: transport)
        func digits(_ text: String) -> SecretBytes { SecretBytes(Array(text.utf8)) }
        let state = try owner.type(digits: digits(try other.owner.ceremony().digits), with: try token(.synchronize))
        _ = try other.owner.type(digits: digits(state.digits), with: try other.token(.synchronize))
        try joining.join(over: transport)
        _ = try approving.add(over: transport)
        try synchronize()
    }

    func add(_ request: AddRequest) throws { _ = try engine.keychain(of: caller).add(request) }

    func has(_ account: String) throws -> Bool {
        var request = FindRequest(query: ItemQuery(itemClass: .genericPassword))
        request.query.synchronizable = .any
        request.query.filters["acct"] = .string(account)
        request.returns = .data
        return try !engine.keychain(of: caller).find(request).isEmpty
    }
}

func seconds(_ body: () throws -> Void) rethrows -> Double {
    let start = ContinuousClock.now
    try body()
    let elapsed = start.duration(to: .now).components
    return Double(elapsed.seconds) + Double(elapsed.attoseconds) / 1e18
}

func milliseconds(_ seconds: Double) -> String { String(format: "%.1f ms", seconds * 1_000) }

func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

let place = FileManager.default.temporaryDirectory.path + "/circle-speed-\(UUID().uuidString.prefix(8))"
try FileManager.default.createDirectory(atPath: place + "/folder", withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(atPath: place) }
let transport = FolderTransport(path: place + "/folder")
let count = 15_000

if let programs = CommandLine.arguments.dropFirst().first {
    let addresses = CommandLine.arguments.dropFirst(2).compactMap { TransportPlace($0) }
    if addresses.count == 3 {
        let places = Array(addresses[..<2])
        try measureTransport(places)
        try measureServices(
            in: place + "/cluster",
            programs: programs,
            items: 200,
            places,
            observer: addresses[2].transport
        )
    } else {
        for items in [200, count] {
            let folder = "\(place)/\(items)"
            try FileManager.default.createDirectory(atPath: folder + "/shared", withIntermediateDirectories: true)
            let shared = TransportPlace.folder(folder + "/shared")
            try measureServices(
                in: folder,
                programs: programs,
                items: items,
                [shared, shared],
                observer: shared.transport
            )
        }
    }
    try FileManager.default.removeItem(atPath: place)
    exit(0)
}

let first = try Device("first", in: place, transport)
try first.engine.addBatchUnchecked((0..<count).map { request("account \($0)") }, for: caller)
try first.found()
let sending = try seconds { try first.synchronize() }
let second = try Device("second", in: place, transport)
try first.approve(second)
var received = 0
let arriving = try seconds { received = try second.synchronize().received }
precondition(received == count, "\(received) items arrived")
let rounds = try (0..<15).map { _ in try seconds { try second.synchronize() } }

print("\(count) items sent       \(milliseconds(sending))")
print("\(count) items arrived    \(milliseconds(arriving))")
print("round, nothing new      \(milliseconds(median(rounds)))")

var writing: [Double] = []
var reading: [Double] = []
var adding: [Double] = []
for number in 0..<51 {
    let account = "change \(number)"
    try first.add(request(account))
    writing.append(try seconds { try first.synchronize() })
    reading.append(try seconds { try second.synchronize() })
    let hasCome = try second.has(account)
    precondition(hasCome)
    adding.append(try seconds { try second.add(request("own \(number)")) })
    try second.synchronize()
    try first.synchronize()
}
print("change written          \(milliseconds(median(writing)))")
print("change read             \(milliseconds(median(reading)))")
print("an item added           \(milliseconds(median(adding)))")
