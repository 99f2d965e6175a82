import ArgumentParser

struct OperateCluster: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "operator",
        abstract: "Run an etcd cluster for circles: its certificates, who may use it, and how it is.",
        discussion: "Runs chatelaine-etcd operator with the same arguments: see chatelaine-etcd(1)."
    )

    @Argument(parsing: .captureForPassthrough, help: "What chatelaine-etcd operator is told, such as circle ada.")
    var arguments: [String] = []

    func run() throws {
        try ForwardedProgram.execute("chatelaine-etcd", ["operator"] + arguments)
    }
}
