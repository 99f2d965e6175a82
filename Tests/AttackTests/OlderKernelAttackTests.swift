import Foundation
import KeychainTestSupport
import Testing

/// What the service does in another way where the kernel says less.
@Suite(.enabled(if: AttackedMachine.obstacle == nil, "needs root, setpriv, a C compiler and namespaces"))
struct OlderKernelAttackTests {
    private let site: AttackSite

    init() throws {
        site = try AttackSite.shared.get()
    }

    private func ask(_ request: String, in machine: AttackedMachine) throws -> Command.Result {
        let environment = site.environment.merging([
            "SOCKET": machine.socket, "REQUEST": site.folder + "/\(request).frame",
        ]) { $1 }
        return try machine.run([site.victim, "get"], environment: environment)
    }

    private static let setsNumbers = access("/proc/sys/kernel/ns_last_pid", W_OK) == 0

    /// Before Linux 6.5 a caller is looked for by the number of the process that connected. What has that number now is
    /// looked at; but it is not what sends.
    @Test(.enabled(if: setsNumbers, "needs a kernel that lets root choose numbers of processes"))
    func `a program that gets the number of the process that connected does not lend it its name (as root)`() throws {
        func attack(_ checks: [String], on kernel: SeenKernel) throws -> Command.Result {
            let machine = try AttackedMachine(
                site,
                daemon: "unchecked-daemon",
                options: ["--delay", "250"] + checks.flatMap { ["--without", $0] },
                on: kernel
            )
            #expect(try ask("add", in: machine).status == 0)
            #expect(try ask("find", in: machine).contains(site.secret))
            let environment = site.environment.merging([
                "SOCKET": machine.socket, "AS": "\(AttackSite.user)",
            ]) { $1 }
            var result = try machine.run([site.attacker, "reuse-pid"], as: nil, environment: environment)
            // The number has to be free when it is wanted, and the service late.
            for _ in 0..<10 where !result.errors.contains("reused") || checks != [] && !result.contains(site.secret) {
                if kernel == .ofMachine, result.errors.contains("reused") { break }
                result = try machine.run([site.attacker, "reuse-pid"], as: nil, environment: environment)
            }
            #expect(result.errors.contains("reused"), "\(result.errors)")
            return result
        }
        #expect(try !attack([], on: .older).contains(site.secret))
        #expect(try attack(["sender"], on: .older).contains(site.secret), "without the check it is fooled")
        // Later kernels say which process it was.
        #expect(try !attack(["sender"], on: .ofMachine).contains(site.secret))
    }

    @Test(arguments: SeenKernel.allCases)
    func `a program is read once, and not at its next connections (as root)`(_ kernel: SeenKernel) throws {
        let machine = try AttackedMachine(site, on: kernel)
        let service = try #require(machine.processes(named: "chatelained").first)
        func bytesRead() throws -> Int {
            let text = try KernelFile.text("/proc/\(service)/io")
            return try #require(text.split(separator: "\n").first.flatMap { Int($0.dropFirst("rchar: ".count)) })
        }
        func bytesRead(by request: String) throws -> (count: Int, answer: Command.Result) {
            let before = try bytesRead()
            let answer = try ask(request, in: machine)
            return (try bytesRead() - before, answer)
        }
        let size = try #require(try FileManager.default.attributesOfItem(atPath: site.victim)[.size] as? Int)
        // One that changed a moment ago would be read again.
        try waitUntil("the program is old enough") {
            let status = try FileManager.default.attributesOfItem(atPath: site.victim)
            return try Date.now.timeIntervalSince(#require(status[.modificationDate] as? Date)) > 4
        }
        let first = try bytesRead(by: "add")
        #expect(first.answer.status == 0)
        #expect(first.count >= size)
        let second = try bytesRead(by: "find")
        #expect(second.answer.contains(site.secret))
        #expect(second.count < size / 4, "\(second.count) bytes, of \(size)")
    }
}
