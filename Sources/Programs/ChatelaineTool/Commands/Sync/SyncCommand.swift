import ArgumentParser
import EnclaveInterface
import Glibc
import KeychainCircles
import KeychainClient
import KeychainModel
import KeychainSync
import SyncTransport
import Synchronization
import Terminal

struct SyncCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync",
        abstract:
            "Share synchronizable items with your other devices, over a folder or a cluster that none of them trusts.",
        discussion: """
            Items with kSecAttrSynchronizable appear on all devices of a circle. Any folder carries them that appears on all of \
            them: Syncthing's, one on NFS, one on a stick. So does an etcd cluster, in less than a second. Who reads the folder \
            or the cluster learns how many devices there are and when they write, and no item.

            EXAMPLES
              On the first device:
                chatelaine sync create ~/Sync
              On the second one, and on the first at the same time:
                chatelaine sync join ~/Sync
                chatelaine sync approve
              On each, after changes, or all the time:
                chatelaine sync now
                chatelaine sync run
            """,
        subcommands: [
            CreateCircle.self, JoinCircle.self, ApproveDevice.self, SynchronizeNow.self, RunSynchronization.self,
            ShowCircle.self, ListDevices.self, RenameDevice.self, RemoveDevice.self, LeaveCircle.self,
            NewRecoveryKey.self, OperateCluster.self,
        ]
    )
}

/// What the commands have in common that need the owner.
struct CircleOptions: ParsableArguments {
    @Flag(
        name: .customLong("stdin"),
        help: "Read what is asked for from standard input, one a line: the passcode first, then digits."
    )
    var readsStandardInput = false

    func authorization(of keychain: any CircleKeychain) throws -> OwnerAuthorization {
        try OwnerAuthorization(of: keychain, asking: SecretQuestions(readsStandardInput: readsStandardInput))
    }

    /// Digits that another device shows. They are no secret once they are shown.
    func digits(_ question: String) throws -> SecretBytes {
        if !readsStandardInput { Console.printError(question + ": ") }
        guard let line = try LineReader(descriptor: STDIN_FILENO).next() else {
            throw Failure("no line is left on standard input for the digits")
        }
        return SecretBytes(line.filter { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "-") })
    }
}

extension CircleKeychain {
    var belongsToCircle: Bool {
        get throws(KeychainError) {
            do throws(KeychainError) {
                _ = try status()
                return true
            } catch  where error.code == .itemNotFound {
                return false
            }
        }
    }
}

/// What this device is called, for those that take it into a circle.
struct DeviceNameOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "What the owner's other devices call this one; without it, the host's name.",
            valueName: "name"
        )
    )
    var name: String?

    func validate() throws {
        do {
            if let name { try DeviceName.check(name) }
        } catch {
            throw ValidationError(error.message)
        }
    }

    var nameOfDevice: String {
        if let name { return name }
        var buffer = [CChar](repeating: 0, count: 257)
        let isKnown = unsafe gethostname(&buffer, 256) == 0
        let bytes = buffer.map { UInt8(bitPattern: $0) }.prefix { $0 != 0 && $0 != UInt8(ascii: ".") }
        let host = String(decoding: bytes, as: UTF8.self)
        return isKnown && !host.isEmpty ? String(host.prefix(64)) : "device"
    }
}

/// A transport that says how much of it was read.
final class CountingTransport: SyncTransport {
    private let inner: any PlacedTransport
    private let counts = Mutex<(all: Int, read: Set<BlobName>)>((0, []))

    init(_ inner: any PlacedTransport) {
        self.inner = inner
    }

    /// On standard error, where that is a terminal.
    private func show() {
        guard isatty(STDERR_FILENO) == 1 else { return }
        let (all, read) = counts.withLock { ($0.all, $0.read.count) }
        Console.printError("\r\(min(read, all)) of \(all) parts")
    }

    func end() {
        if isatty(STDERR_FILENO) == 1 { Console.printError("\r\u{1B}[K") }
    }

    func circles() throws(SyncTransportFailure) -> [CircleID] { try inner.circles() }

    func list(_ kind: BlobName.Kind, in circle: CircleID) throws(SyncTransportFailure) -> [BlobName] {
        try inner.list(kind, in: circle)
    }

    func read(_ name: BlobName, in circle: CircleID) throws(SyncTransportFailure) -> [UInt8]? {
        if case .segment = name {
            let isFirst = counts.withLock { $0.all == 0 }
            if isFirst {
                let all = try inner.list(.segment, in: circle).count
                counts.withLock { $0.all = all }
            }
            counts.withLock { _ = $0.read.insert(name) }
            show()
        }
        return try inner.read(name, in: circle)
    }

    func write(_ bytes: [UInt8], as name: BlobName, in circle: CircleID) throws(SyncTransportFailure) {
        try inner.write(bytes, as: name, in: circle)
    }

    func remove(_ name: BlobName, in circle: CircleID) throws(SyncTransportFailure) {
        try inner.remove(name, in: circle)
    }
}

/// Where a circle is to be, as a command is told.
struct PlaceArgument: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "The folder that carries what the devices write for each other, or the cluster: etcd://HOST,…/NAME.",
            valueName: "place"
        ),
        completion: .directory
    )
    var place: String

    func transport() throws -> any PlacedTransport { try CirclePlace.transport(place) }
}

/// The transport of a circle, and what is done with it.
enum CirclePlace {
    /// Whether no circle is there.
    static func isEmpty(_ transport: any PlacedTransport) throws -> Bool {
        do {
            return try transport.circles().isEmpty
        } catch {
            throw Failure(TerminalText.escaped(error.description))
        }
    }

    /// - Throws: a failure for what is neither a folder nor an address.
    static func transport(_ path: String) throws -> any PlacedTransport {
        if TransportPlace.isAddress(path) {
            guard let place = TransportPlace(path) else {
                throw Failure("\(TerminalText.escaped(path)) is no address of a cluster")
            }
            let transport = place.transport
            // What is wrong with the address, or with the way to the cluster, is said before anything is asked.
            do {
                _ = try transport.circles()
            } catch {
                throw Failure(TerminalText.escaped(error.description))
            }
            return transport
        }
        guard let resolved = unsafe realpath(path, nil) else {
            let hint = path.contains(":/") ? "; the address of a cluster begins with etcd://" : ""
            throw Failure("\(TerminalText.escaped(path)) is no folder that can be reached\(hint)")
        }
        defer { unsafe free(resolved) }
        let absolute = unsafe String(cString: resolved)
        var status = stat()
        guard unsafe stat(absolute, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            throw Failure("\(TerminalText.escaped(path)) is no folder")
        }
        return FolderTransport(path: absolute)
    }

    /// The transport that a keychain was given.
    static func transport(of keychain: any CircleKeychain) throws -> any PlacedTransport {
        guard let place = TransportPlace(try keychain.status().settings.transport) else {
            throw Failure("the circle has no folder here; name one, or a cluster, with: chatelaine sync now --place")
        }
        return place.transport
    }

    /// The circle that a transport has.
    ///
    /// - Parameter prefix: how its name begins, where there are several.
    static func circle(in transport: any PlacedTransport, prefix: String?) throws -> CircleID {
        let circles = try transport.circles().filter { $0.text.hasPrefix(prefix ?? "") }
        guard let circle = circles.first else {
            throw Failure("no circle is in \(TerminalText.escaped(transport.place.text)), or it has not arrived yet")
        }
        guard circles.count == 1 else {
            let names = circles.map { String($0.text.prefix(8)) }.joined(separator: ", ")
            throw Failure("there are several circles there; name one with --circle: \(names)")
        }
        return circle
    }

    /// That something is to run, so that this goes on by itself.
    static func sayHowItGoesOn() {
        let isHeldByService = (try? CurrentKeychain.service().isHeldByService) ?? false
        let command =
            isHeldByService ? "systemctl --user enable --now chatelaine-sync.service" : "chatelaine sync run"
        Console.print("Changes travel from now on while this runs: \(command)\n")
    }

    /// Does something again and again until it says that it is done.
    ///
    /// - Parameter advice: what the owner does where it never is.
    static func wait(
        atMost limit: Duration = .seconds(600),
        advice: String = "begin once more on both devices",
        until isDone: () throws -> Bool
    ) throws {
        let end = ContinuousClock.now + limit
        while try !isDone() {
            guard ContinuousClock.now < end else {
                throw Failure("nothing has come for \(limit.components.seconds / 60) minutes; \(advice)")
            }
            usleep(200_000)
        }
    }
}
