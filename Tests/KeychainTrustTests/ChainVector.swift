import Foundation
import Testing

/// Three certificates in files, and whether the first leads to the last: see Vectors/README.md.
struct ChainVector: CustomTestStringConvertible, Sendable {
    let name: String
    let host: String
    /// `trusted`, or the reason why not.
    let expectation: String
    let source: String

    static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Vectors")
    static let manifest = folder.appending(path: "manifest.tsv")

    /// Those that the manifest names, in its order.
    static let all: [ChainVector] = {
        let lines = (try? String(contentsOf: manifest, encoding: .utf8))?.split(separator: "\n") ?? []
        return lines.compactMap { line in
            let columns = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            guard columns.count == 4 else { return nil }
            return ChainVector(name: columns[0], host: columns[1], expectation: columns[2], source: columns[3])
        }
    }()

    var line: String { "\(name)\t\(host)\t\(expectation)\t\(source)" }
    var leaf: URL { Self.folder.appending(path: "\(name)-leaf.der") }
    var intermediate: URL { Self.folder.appending(path: "\(name)-intermediate.der") }
    static let root = folder.appending(path: "root.der")
    var testDescription: String { name }
}
