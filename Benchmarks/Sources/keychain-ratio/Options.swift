import Foundation
import KeychainSamples

/// What the command line asks for.
struct Options {
    var counts = [1_000, 15_000]
    var readRounds = 500
    var listRounds = 15
    var writeRounds = 100
    /// The operations to measure, as for a profile of one of them.
    var operations: Set<String> = ["find", "label", "list", "add", "update", "delete"]
    /// Where keychains and floors are made. The durable writes go to the disk under it.
    var folder = FileManager.default.temporaryDirectory

    private static let usage = """
        usage: keychain-ratio [--items N,N…] [--folder DIR] [--rounds READS,LISTS,WRITES]
                              [--only find,label,list,add,update,delete]
        """

    init(_ arguments: some Sequence<String>) throws {
        var arguments = arguments.makeIterator()
        while let name = arguments.next() {
            guard let value = arguments.next() else { throw Failure(Self.usage) }
            switch name {
            case "--items": counts = try Self.numbers(value)
            case "--folder": folder = URL(filePath: value)
            case "--only": operations = Set(value.split(separator: ",").map(String.init))
            case "--rounds":
                let rounds = try Self.numbers(value)
                guard rounds.count == 3 else { throw Failure(Self.usage) }
                (readRounds, listRounds, writeRounds) = (rounds[0], rounds[1], rounds[2])
            default: throw Failure(Self.usage)
            }
        }
    }

    private static func numbers(_ text: String) throws -> [Int] {
        try text.split(separator: ",").map { part in
            guard let number = Int(part), number >= 0 else { throw Failure(usage) }
            return number
        }
    }
}
