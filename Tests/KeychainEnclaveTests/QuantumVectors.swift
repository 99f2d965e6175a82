import Foundation
import Testing

/// What others have computed of a seed: see Vectors/README.md.
struct QuantumVector: Decodable, Sendable, CustomTestStringConvertible {
    let algorithm: String
    let seed: Data
    let publicKey: Data
    /// Of ML-KEM: what is for this key, and what is not.
    let ciphertext: Data?
    let secret: Data?
    let rejected: Data?
    let rejectedSecret: Data?
    /// Of ML-DSA.
    let message: Data?
    let context: Data?
    let signature: Data?

    var testDescription: String { "\(algorithm) \(seed.prefix(4).map { String($0, radix: 16) }.joined())" }
}

struct QuantumVectors: Decodable {
    let tests: [QuantumVector]

    static func all() throws -> [QuantumVector] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Vectors")
        let file = try Data(contentsOf: folder.appending(path: "quantum.json"))
        return try JSONDecoder().decode(Self.self, from: file).tests
    }
}
