import Foundation
import KeychainSamples

/// Makes a number of calls of one kind in a keychain of 300 items: `call-count KIND CALLS`. It measures nothing itself:
/// what counts its instructions runs it twice, and the difference between the two is what the calls cost.
@main
struct CallCount {
    /// What can be called; `Benchmarks/instructions.sh` names them too.
    enum Kind: String {
        /// The value, by primary key.
        case get
        /// The value, by an attribute that has an index.
        case search
        case add
        /// The attributes of all items.
        case list
    }

    private static let items = 300

    static func main() throws {
        let arguments = CommandLine.arguments.dropFirst()
        guard arguments.count == 2, let kind = arguments.first.flatMap(Kind.init),
            let calls = arguments.last.flatMap({ Int($0) }), calls >= 0
        else { throw Failure("usage: call-count get|search|add|list CALLS") }
        let keychain = try SampleKeychain(count: items, in: FileManager.default.temporaryDirectory)
        // What only a first call does is done once in each run, and so is no part of the difference.
        try call(kind, 1, keychain)
        try call(kind, calls, keychain)
    }

    private static func call(_ kind: Kind, _ calls: Int, _ keychain: SampleKeychain) throws {
        switch kind {
        case .get: try keychain.nextQueries(calls).forEach(SampleKeychain.find)
        case .search: try keychain.nextLabelQueries(calls).forEach(SampleKeychain.find)
        case .add: try keychain.newItems(calls).forEach(SampleKeychain.add)
        case .list: for _ in 0..<calls { _ = try keychain.list() }
        }
    }
}
