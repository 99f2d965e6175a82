import Foundation
import Testing

/// A certificate in a file, and what is expected of it: see Vectors/README.md.
struct CertificateVector: CustomTestStringConvertible, Sendable {
    let name: String
    /// `taken` or `refused`, then facts.
    let expectation: String
    let source: String

    static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Vectors")
    static let manifest = folder.appending(path: "manifest.tsv")

    /// Those that the manifest names, in its order.
    static let all: [CertificateVector] = {
        let lines = (try? String(contentsOf: manifest, encoding: .utf8))?.split(separator: "\n") ?? []
        return lines.map { line in
            let columns = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            return CertificateVector(
                name: columns.first ?? "",
                expectation: columns.dropFirst().first ?? "",
                source: columns.dropFirst(2).first ?? ""
            )
        }
    }()

    var line: String { "\(name)\t\(expectation)\t\(source)" }
    var file: URL { Self.folder.appending(path: "\(name).der") }
    var isTaken: Bool { words.first == "taken" }
    var testDescription: String { name }

    private var words: [Substring] { expectation.split(separator: " ") }

    /// What is said after the name of a fact and an equals sign; nil where the fact is not named.
    func fact(_ name: String) -> String? {
        words.first { $0.hasPrefix("\(name)=") }.map { String($0.dropFirst(name.count + 1)) }
    }
}
