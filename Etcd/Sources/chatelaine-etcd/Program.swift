import ArgumentParser
import EtcdTransport
import Glibc

@main
struct Program: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "chatelaine-etcd",
        abstract: "Carries what the devices of a circle write to and from an etcd cluster.",
        subcommands: [Carry.self, Operate.self]
    )
}

struct Carry: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Speak for a cluster with the program that has started this one.",
        shouldDisplay: false
    )

    @Argument(help: "etcd://HOST[:PORT],…/NAME")
    var address: String

    func run() async {
        signal(SIGPIPE, SIG_IGN)
        let program = TransportProgram()
        do throws(EtcdFailure) {
            let address = try EtcdAddress(address, credentialsIn: Self.folder)
            let cluster = try EtcdCluster(address)
            await program.run(EtcdBlobs(of: address.circle, in: cluster)) {
                // An answer that nobody waits for any more, from a cluster that may take long, keeps nothing running.
                sleep(2)
                _exit(0)
            }
        } catch {
            program.fail(error)
        }
    }

    /// Where credentials are that the address does not name.
    private static var folder: String {
        func value(_ name: String) -> String? {
            unsafe getenv(name).map { unsafe String(cString: $0) }.flatMap { $0.hasPrefix("/") ? $0 : nil }
        }
        let configuration = value("XDG_CONFIG_HOME") ?? value("HOME").map { $0 + "/.config" } ?? "/etc"
        return configuration + "/chatelaine/etcd"
    }
}
