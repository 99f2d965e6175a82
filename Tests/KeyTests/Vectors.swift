import Foundation
import KeychainCertificates
import KeychainModel
import Testing

@testable import KeychainKeys

/// A file of vectors: see Vectors/README.md.
struct Vectors: Decodable {
    struct Group: Decodable {
        var key: Data?
        var curve: String?
        var hash: KeyHash?
        var mgfHash: KeyHash?
        var salt: Int?
        var encoding: String?
        var tests: [Vector]
    }

    struct Vector: Decodable {
        enum Result: String, Decodable {
            case valid
            case invalid
            case acceptable
        }

        var tcId: Int?
        var key: Data?
        var comment: String
        var result: Result
        var flags: [String]?
        var msg: Data?
        var sig: Data?
        var ct: Data?
        var label: Data?
        var `public`: Data?
        var `private`: Data?
        var shared: Data?
        var digest: Data?
        var x: Data?
        var y: Data?
        var number: Data?
        var point: Data?
        var secret: Data?
        var info: Data?
        var derived: Data?
        var form: String?
        var bytes: Data?

        /// What tells a vector from others in what a test prints.
        var name: String { "\(tcId.map { "\($0) " } ?? "")\(comment)" }
    }

    var source: String
    var groups: [Group]

    static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Vectors")

    init(_ name: String) throws {
        let file = Self.folder.appending(path: "\(name).json")
        self = try JSONDecoder().decode(Vectors.self, from: Data(contentsOf: file))
    }

    /// The names of the files that begin so.
    static func names(_ prefix: String) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.filter { $0.hasPrefix(prefix) && $0.hasSuffix(".json") }.map { String($0.dropLast(5)) }.sorted()
    }

    /// Asks of every vector what is wrong with it, and reports all at once.
    ///
    /// - Parameter count: how many vectors there are at least, so that none gets lost.
    static func check(
        _ name: String,
        atLeast count: Int = 1,
        _ problem: (Group, Vector) throws -> String?
    ) throws {
        let vectors = try Vectors(name)
        var problems: [String] = []
        var number = 0
        for group in vectors.groups {
            for vector in group.tests {
                number += 1
                if let problem = try problem(group, vector) { problems.append("\(vector.name): \(problem)") }
            }
        }
        #expect(problems.isEmpty, "\(name), \(problems.count): \(problems.prefix(20).joined(separator: "\n"))")
        #expect(number >= count, "\(name) has only \(number) vectors")
    }
}

extension KeyHash: Decodable {}

extension Optional<Data> {
    /// The bytes of a field, which has to be there.
    func bytes(_ location: SourceLocation = #_sourceLocation) throws -> [UInt8] {
        Array(try #require(self, sourceLocation: location))
    }
}

extension EllipticCurve {
    init?(named name: String?) {
        switch name {
        case "P-256": self = .p256
        case "P-384": self = .p384
        case "P-521": self = .p521
        default: return nil
        }
    }

    /// A number as long as a coordinate, whatever zeros are in front of it.
    func padded(_ number: [UInt8]) -> [UInt8] {
        let digits = Array(number.drop { $0 == 0 })
        return [UInt8](repeating: 0, count: max(0, coordinateSize - digits.count)) + digits
    }
}
