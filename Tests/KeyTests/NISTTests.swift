import Foundation
import KeychainCertificates
import KeychainModel
import Testing

@testable import KeychainKeys

@Suite("NIST and RFC 6979")
struct NISTTests {
    @Test("ECDSA verifies digests of every function, SHA-224's too")
    func ecdsa() throws {
        try Vectors.check("nist_ecdsa_verify", atLeast: 200) { group, vector in
            let key = try #require(PublicKey(point: vectorKey(vector, group)))
            let hash = try #require(group.hash)
            let (digest, signature) = (try vector.digest.bytes(), try vector.sig.bytes())
            let expected: KeychainError.Code? = vector.result == .valid ? nil : .verifyFailed
            let answers = [
                failure { try key.verify(signature, of: digest, .ecdsaSignature(.rfc4754, .digest, hash)) },
                failure { try key.verify(signature, of: digest, .ecdsaSignature(.rfc4754, .digest, nil)) },
                failure {
                    try key.verify(signature, of: vector.msg.bytes(), .ecdsaSignature(.rfc4754, .message, hash))
                },
            ]
            return answers.allSatisfy { $0 == expected } ? nil : "\(vector.result), \(answers)"
        }
    }

    private func vectorKey(_ vector: Vectors.Vector, _ group: Vectors.Group) throws -> [UInt8] {
        try (vector.point ?? vector.key).bytes()
    }

    @Test("ECDSA verifies the signatures of RFC 6979, and no other")
    func rfc6979() throws {
        try Vectors.check("rfc6979", atLeast: 60) { group, vector in
            let key = try #require(PublicKey(subjectPublicKeyInfo: group.key.bytes()))
            let hash = try #require(group.hash)
            let answer = failure {
                try key.verify(vector.sig.bytes(), of: vector.digest.bytes(), .ecdsaSignature(.x962, .digest, hash))
            }
            return answer == (vector.result == .valid ? nil : .verifyFailed) ? nil : "\(vector.result)"
        }
    }

    @Test("A private number has its point, in every form")
    func keyPairs() throws {
        try Vectors.check("nist_key_pairs", atLeast: 30) { group, vector in
            let curve = try #require(EllipticCurve(named: group.curve))
            let (point, number) = (try vector.point.bytes(), try vector.number.bytes())
            let key = try CurvePrivateKey(curve, number: SecretBytes(number))
            guard key.publicKey.externalRepresentation == point else { return "another point" }
            guard key.externalRepresentation.revealed == point + number else { return "another representation" }
            let again = try CurvePrivateKey(externalRepresentation: SecretBytes(point + number))
            return again.number.revealed == number ? nil : "another number"
        }
    }

    @Test("Only points on the curve are keys")
    func points() throws {
        try Vectors.check("nist_points", atLeast: 30) { group, vector in
            let curve = try #require(EllipticCurve(named: group.curve))
            let coordinates = try [vector.x.bytes(), vector.y.bytes()].map { curve.padded($0) }
            let isKey = PublicKey(point: [4] + coordinates.joined()) != nil
            return isKey == (vector.result == .valid) ? nil : "\(vector.result)"
        }
    }

    @Test("X9.63 derives what NIST derives")
    func x963() throws {
        try Vectors.check("nist_x963", atLeast: 100) { group, vector in
            let hash = try #require(group.hash)
            let derived = try vector.derived.bytes()
            let answer = Result {
                try hash.expansion(
                    of: SecretBytes(vector.secret.bytes()),
                    from: 1,
                    suffix: vector.info.bytes(),
                    count: derived.count
                ).revealed
            }
            return try answer.get() == derived ? nil : "other bytes"
        }
    }
}
