import Foundation
import KeychainSamples

/// Measures a keychain through its service against the least that this can cost, and against gnome-keyring, in turns.
@main
struct ServiceRatio {
    static func main() {
        do {
            switch CommandLine.arguments.dropFirst().first {
            case "client": try Client.run()
            case "echo": RoundTripFloor.echo()
            default: try Measurement(Options(CommandLine.arguments.dropFirst())).run()
            }
        } catch {
            FileHandle.standardError.write(Data("service-ratio: \(error)\n".utf8))
            exit(1)
        }
    }
}

/// What the command line asks for.
struct Options {
    var counts = [10, 1_000, 15_000]
    var clients = [1, 4, 32]
    var rounds = 10
    var folder = FileManager.default.temporaryDirectory
    /// How a gnome-keyring is started (Peers/gnome-keyring.sh) and driven; nil leaves it out.
    var peer: (start: String, driver: String)?

    private static let usage = """
        usage: service-ratio [--items N,N…] [--clients N,N…] [--rounds N] [--folder DIR] [--gnome-keyring SCRIPT,DRIVER]
        """

    init(_ arguments: some Sequence<String>) throws {
        var arguments = arguments.makeIterator()
        while let name = arguments.next() {
            guard let value = arguments.next() else { throw Failure(Self.usage) }
            switch name {
            case "--items": counts = try Self.numbers(value)
            case "--clients": clients = try Self.numbers(value)
            case "--rounds": rounds = try Self.numbers(value)[0]
            case "--folder": folder = URL(filePath: value)
            case "--gnome-keyring":
                let parts = value.split(separator: ",").map(String.init)
                guard parts.count == 2 else { throw Failure(Self.usage) }
                peer = (parts[0], parts[1])
            default: throw Failure(Self.usage)
            }
        }
    }

    private static func numbers(_ text: String) throws -> [Int] {
        let numbers = text.split(separator: ",").compactMap { Int($0) }.filter { $0 > 0 }
        guard !numbers.isEmpty else { throw Failure(usage) }
        return numbers
    }
}
