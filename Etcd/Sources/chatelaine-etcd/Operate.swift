import ArgumentParser
import EtcdOperator
import EtcdTransport
import Glibc

struct Operate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "operator",
        abstract: "Run an etcd cluster for circles: its certificates, who may use it, and how it is.",
        discussion: """
            EXAMPLES
              A cluster of three, each with its folder, in which etcd is started:
                chatelaine sync operator cluster n1=192.0.2.1 n2=192.0.2.2 n3=192.0.2.3
                etcd --config-file etcd.yml
                chatelaine sync operator enable
              A circle, and credentials of its devices, which their owner takes along:
                chatelaine sync operator circle ada
                chatelaine sync operator device ada laptop
            """,
        subcommands: [
            MakeCluster.self, EnableAccess.self, AddCircle.self, AddDevice.self, Revoke.self, EmptyCircle.self,
            RemoveCircle.self, ListCircles.self, ShowCluster.self, MakeRoom.self,
        ]
    )
}

struct FolderOptions: ParsableArguments {
    @Option(help: "The operator's folder of the cluster. Its authority's key is in it.", completion: .directory)
    var folder = "chatelaine-etcd"

    var path: OperatorFolder { OperatorFolder(path: folder) }
}

/// Asks before something is removed that the operator cannot bring back.
struct Confirmation: ParsableArguments {
    @Flag(help: "Do not ask.")
    var yes = false

    /// - Parameter name: what has to be typed.
    /// - Throws: unless it is typed. Without a terminal nobody is asked, and `--yes` has to be given.
    func ask(_ warning: String, for name: String) throws {
        guard !yes else { return }
        guard isatty(STDIN_FILENO) == 1 else {
            try? StandardError.print("chatelaine-etcd: there is no terminal to ask at; say --yes\n")
            throw ExitCode(1)
        }
        try? StandardError.print("\(warning) Type \(name) to go ahead: ")
        guard readLine() == name else {
            try? StandardError.print("chatelaine-etcd: nothing was removed\n")
            throw ExitCode(1)
        }
    }
}

extension AsyncParsableCommand {
    /// Says what has failed as commands do.
    fileprivate func telling(_ body: () async throws -> Void) async throws {
        do {
            try await body()
        } catch let failure as EtcdFailure {
            try? StandardError.print("chatelaine-etcd: \(failure.description)\n")
            throw ExitCode(1)
        }
    }
}

private enum StandardError {
    static func print(_ text: String) throws {
        let bytes = Array(text.utf8)
        _ = unsafe bytes.withUnsafeBytes { unsafe write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}

struct MakeCluster: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cluster",
        abstract: "Make a cluster's authority, and a folder for each node with what etcd is started with.",
        discussion: """
            Copy each node's folder to its machine, and nothing else: the key of the authority stays here. One node or three are \
            usual; three go on when one is gone.
            """
    )

    @Argument(help: "The nodes: NAME=HOST or NAME=HOST:PORT; other nodes use the port after that.")
    var nodes: [String]

    @Option(help: "How large a node's database may become, in GiB.")
    var quota: Int64 = 8

    @OptionGroup var options: FolderOptions

    func validate() throws {
        guard (1...64).contains(quota) else { throw ValidationError("The quota is from 1 to 64 GiB.") }
        let parsed = try parsed()
        do throws(EtcdFailure) {
            try OperatorFolder.check(parsed)
        } catch {
            throw ValidationError(error.description)
        }
        guard parsed.count % 2 == 1, parsed.count <= 7 else {
            throw ValidationError("A cluster has 1, 3, 5 or 7 nodes: an even number is no safer than one less.")
        }
    }

    private func parsed() throws -> [OperatorFolder.Node] {
        try nodes.map { text in
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2 else { throw ValidationError("\(text) is not NAME=HOST.") }
            do throws(EtcdFailure) {
                let address = try EtcdAddress("etcd://\(parts[1])/x", credentialsIn: "/")
                let node = address.nodes[0]
                guard address.nodes.count == 1 else {
                    throw EtcdFailure(.other, "\(text) is not NAME=HOST or NAME=HOST:PORT")
                }
                guard node.port < .max else {
                    throw EtcdFailure(.other, "\(text) leaves no port after its own, which other nodes use")
                }
                return .init(name: parts[0], host: node.host, port: node.port, peerPort: node.port + 1)
            } catch {
                throw ValidationError(error.description)
            }
        }
    }

    func run() async throws {
        try await telling {
            try options.path.make(parsed(), quota: quota << 30)
            print(
                "The cluster's folders are in \(options.folder). On each node, in its folder: etcd --config-file etcd.yml"
            )
            print("Then, before anybody else reaches the nodes: chatelaine sync operator enable")
        }
    }
}

struct EnableAccess: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "enable",
        abstract: "Have the cluster let nobody in but those whom the operator names."
    )

    @OptionGroup var options: FolderOptions

    func run() async throws {
        try await telling {
            try await Access.enable(options.path.cluster())
            print("From now on the cluster lets in those alone whom you name.")
        }
    }
}

struct AddCircle: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "circle",
        abstract: "Make a place for a circle of devices."
    )

    @Argument(help: "What you call it: small letters, digits and hyphens.")
    var circle: String

    @OptionGroup var options: FolderOptions

    func run() async throws {
        try await telling {
            try await Access(of: options.path).addCircle(circle)
            print("Credentials for each of its devices: chatelaine sync operator device \(circle) DEVICE")
        }
    }
}

struct AddDevice: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device",
        abstract: "Make credentials for a device of a circle.",
        discussion: """
            They are in a file that is sent to the device's owner as passwords are. It lets the device read and write the circle's \
            blobs, which are sealed: nobody becomes a member by it. On the device the file is \
            ~/.config/chatelaine/etcd/CIRCLE.pem.
            """
    )

    @Argument(help: "The circle.")
    var circle: String

    @Argument(help: "What you call the device: small letters, digits and hyphens.")
    var device: String

    @Option(help: "Where the credentials are written; without it, CIRCLE-DEVICE.pem.", completion: .file())
    var output: String?

    @OptionGroup var options: FolderOptions

    func run() async throws {
        try await telling {
            try EtcdAddress.check(device, "device")
            let folder = options.path
            let authority = try folder.authority
            let access = try await Access(of: folder)
            let user = try await access.addDevice(device, to: circle)
            let path = output ?? "\(circle)-\(device).pem"
            do {
                try PrivateFile.write(authority.credentials(of: user.text), to: path)
            } catch {
                // Nobody could use it.
                try? await access.remove(user)
                throw error
            }
            let address = try folder.address(of: circle)
            print(
                "Its credentials are in \(path). On the device put them at ~/.config/chatelaine/etcd/\(circle).pem, and run"
            )
            print("where it is the circle's first one: chatelaine sync create '\(address)'")
            print("otherwise: chatelaine sync join '\(address)'")
        }
    }
}

struct Revoke: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Let a device in no more, for good.",
        discussion: """
            While it is a member of the circle it reads what comes over a connection that it has: remove it there first, with \
            chatelaine sync remove on another device.
            """
    )

    @Argument(help: "The circle.")
    var circle: String

    @Argument(help: "The device.")
    var device: String

    @OptionGroup var options: FolderOptions

    func run() async throws {
        try await telling {
            try await Access(of: options.path).revoke(device, of: circle)
            print(
                "The nodes let \(device) in no more. A connection that it has lasts until it breaks or its node is started again,"
            )
            print("and as a member of the circle it reads what comes: on another device, chatelaine sync remove")
        }
    }
}

struct EmptyCircle: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "empty-circle",
        abstract: "Remove what a circle's devices have written, which they write again.",
        discussion: """
            For a circle in which a device has written what it should not have, once it is revoked. Each other device that hears of \
            changes fills it again at once, and one that is off when it is on again.
            """
    )

    @Argument(help: "The circle.")
    var circle: String

    @OptionGroup var options: FolderOptions

    @OptionGroup var confirmation: Confirmation

    func run() async throws {
        try confirmation.ask("All that the devices of \(circle) have written in the cluster is removed.", for: circle)
        try await telling {
            try await Access(of: options.path).emptyCircle(circle)
            print("The cluster has nothing of the circle \(circle) any more. Its devices write again what they have.")
        }
    }
}

struct RemoveCircle: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove-circle",
        abstract: "Remove what a circle's devices have written, and let them in no more.",
        discussion: "Their items stay on the devices."
    )

    @Argument(help: "The circle.")
    var circle: String

    @OptionGroup var options: FolderOptions

    @OptionGroup var confirmation: Confirmation

    func run() async throws {
        try confirmation.ask(
            "The devices of \(circle) are let in no more, and what they have written is removed.",
            for: circle
        )
        try await telling {
            try await Access(of: options.path).removeCircle(circle)
            print(
                "The circle \(circle) is removed. Files with its devices' credentials are of no use now: remove them."
            )
        }
    }
}

struct ListCircles: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the circles, and the devices that are let in."
    )

    @OptionGroup var options: FolderOptions

    func run() async throws {
        try await telling {
            let access = try await Access(of: options.path)
            for circle in try await access.circles().sorted() {
                let devices = try await access.devices(of: circle).map(\.device).sorted()
                print("\(circle)  \(devices.isEmpty ? "no devices" : devices.joined(separator: " "))")
            }
        }
    }
}

struct ShowCluster: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Say which nodes answer, how much room they take, and what alarms are raised.",
        discussion: """
            Ends with 1 where a node does not answer, no node leads, an alarm is raised, or the cluster lets in everybody with a \
            certificate.
            """
    )

    @OptionGroup var options: FolderOptions

    func run() async throws {
        try await telling {
            let health = try Health(of: options.path)
            let states = try await health.states()
            for state in states {
                guard let answer = state.answer else {
                    print("\(state.node)  does not answer")
                    continue
                }
                let size = "\(answer.used >> 20) of \(answer.size >> 20) MiB in use"
                print("\(state.node)  etcd \(answer.version)  \(size)\(answer.isLeader ? "  leads" : "")")
            }
            let answers = states.compactMap(\.answer)
            let isLed = answers.contains(where: \.isLeader)
            if !isLed { print("no node leads: more than half of them have to be there") }
            var isWell = answers.count == states.count && isLed
            // Without a leader nobody says more.
            if isLed {
                for alarm in try await health.alarms(options.path.cluster()) {
                    print("alarm: \(alarm)")
                    isWell = false
                }
                if try await !options.path.isAccessEnabled {
                    print("everybody with a certificate is let in: run chatelaine sync operator enable")
                    isWell = false
                }
                if answers.contains(where: { !$0.version.separatesCircles }) {
                    print(
                        "before etcd \(Health.Version.separatesCircles) a device can do more than its role allows: "
                            + "let in only those who trust each other"
                    )
                }
            }
            if !isWell { throw ExitCode(1) }
        }
    }
}

struct MakeRoom: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "make-room",
        abstract: "Give back the room of what was replaced and removed, and end the alarm of a full cluster.",
        discussion: "One node after the other answers nothing for some seconds."
    )

    @OptionGroup var options: FolderOptions

    func run() async throws {
        try await telling {
            try await Health(of: options.path).makeRoom(options.path.cluster())
            print("All nodes have given back what was not in use.")
        }
    }
}
