import Foundation
import KeychainMeasuring
import KeychainSamples

/// What can be measured.
enum Operation: String, CaseIterable {
    /// By primary key.
    case find
    /// By an attribute that has an index.
    case label
    /// By an attribute that has none.
    case comment
    case list
    case add
    case update
    case delete
}

/// What the command line asks for.
struct Options {
    var counts = [10, 1_000, 15_000]
    var readRounds = 500
    var listRounds = 15
    var writeRounds = 100
    private var operations = Set(Operation.allCases)
    /// Where keychains and floors are made. The durable writes go to the disk under it.
    var folder = FileManager.default.temporaryDirectory
    /// Where a large keychain stays for the next run.
    var keep: URL?

    /// From so many items on, a keychain is filled in batches, and compared with one of `small`.
    static let large = 100_000
    static let small = 1_000

    private static let usage = """
        usage: keychain-ratio [--items N,N…] [--folder DIR] [--keep DIR] [--rounds READS,LISTS,WRITES]
                              [--only \(Operation.allCases.map(\.rawValue).joined(separator: ","))]
        """

    init(_ arguments: some Sequence<String>) throws {
        var arguments = arguments.makeIterator()
        while let name = arguments.next() {
            guard let value = arguments.next() else { throw Failure(Self.usage) }
            switch name {
            case "--items": counts = try Self.numbers(value)
            case "--folder": folder = URL(filePath: value)
            case "--keep": keep = URL(filePath: value)
            case "--only": operations = Set(try value.split(separator: ",").map(Self.operation))
            case "--rounds":
                let rounds = try Self.numbers(value)
                guard rounds.count == 3 else { throw Failure(Self.usage) }
                (readRounds, listRounds, writeRounds) = (rounds[0], rounds[1], rounds[2])
            default: throw Failure(Self.usage)
            }
        }
    }

    func measures(_ operation: Operation) -> Bool {
        operations.contains(operation)
    }

    func measures(anyOf several: Set<Operation>) -> Bool {
        !operations.isDisjoint(with: several)
    }

    private static func operation(_ text: Substring) throws -> Operation {
        guard let operation = Operation(rawValue: String(text)) else { throw Failure(usage) }
        return operation
    }

    private static func numbers(_ text: String) throws -> [Int] {
        try text.split(separator: ",").map { part in
            guard let number = Int(part), number > 0 else { throw Failure(usage) }
            return number
        }
    }
}
