import Foundation
import KeychainCertificates
import KeychainModel
import Testing

@testable import KeychainKeys

@Suite("Signatures")
struct SignatureTests {
    static let algorithms = KeyAlgorithm.all.filter { $0.identifier.contains(":sign:") }

    /// Every key of both families, each with its kind.
    private func keys() throws -> [PrivateKey] {
        try curves.map { PrivateKey(try CurvePrivateKey(generatedOn: $0)) } + [
            SharedKeys.rsa1024.get(), SharedKeys.rsa2048.get(),
        ]
    }

    @Test("What is signed with an algorithm verifies with it, and nothing else does", arguments: algorithms)
    func signatures(_ algorithm: KeyAlgorithm) throws {
        for key in try keys() {
            let input = input(algorithm)
            let kind = key.publicKey.keyKind
            guard algorithm.availability(of: .sign, by: kind) == .works else { continue }
            let signature = try key.signature(of: input, algorithm)
            if case .rsa = kind { #expect(signature.count == key.publicKey.blockSize) }
            try key.publicKey.verify(signature, of: input, algorithm)
        }
    }

    private func input(_ algorithm: KeyAlgorithm) -> [UInt8] {
        switch algorithm {
        case .rsaSignature(_, .digest, let hash): [UInt8](repeating: 0x5A, count: hash.size)
        case .ecdsaSignature(_, .digest, let hash?): [UInt8](repeating: 0x5A, count: hash.size)
        case .rsaSignaturePKCS1v15: DigestInfo.prefix(of: .sha256) + [UInt8](repeating: 0x5A, count: 32)
        default: "a message".bytes
        }
    }
}
