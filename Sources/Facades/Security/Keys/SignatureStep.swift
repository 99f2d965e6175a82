package import Foundation

@_implementationOnly import KeychainCertificates
@_implementationOnly import KeychainKeys

/// How a signature is made by a key that has a simpler algorithm alone: of a message by its digest, as two numbers by the
/// form of X9.62, of a digest by any digest.
package struct SignatureStep {
    /// The simpler algorithm, by its identifier.
    package let algorithm: String
    /// Whether its form of signature is another one.
    package let changesForm: Bool
    private let hash: String?

    /// - Returns: nil for an algorithm that follows from no simpler one.
    package init?(from identifier: String) {
        switch KeyAlgorithm(identifier: identifier) {
        case .rsaSignature(let padding, .message, let hash)?:
            self.init(.rsaSignature(padding, .digest, hash), hash: hash)
        case .ecdsaSignature(let form, .message, let hash?)?:
            self.init(.ecdsaSignature(form, .digest, hash), hash: hash)
        case .ecdsaSignature(.rfc4754, .digest, let hash)?:
            self.init(.ecdsaSignature(.x962, .digest, hash), changesForm: true)
        case .ecdsaSignature(.x962, .digest, .some)?:
            self.init(.ecdsaSignature(.x962, .digest, nil))
        default: return nil
        }
    }

    private init(_ algorithm: KeyAlgorithm, hash: KeyHash? = nil, changesForm: Bool = false) {
        self.algorithm = algorithm.identifier
        self.hash = hash?.rawValue
        self.changesForm = changesForm
    }

    /// What the simpler algorithm signs in the place of the data; nil where its digest cannot be computed.
    package func input(of data: Data) -> Data? {
        guard let hash else { return data }
        return (try? KeyHash(rawValue: hash)?.digest(of: Array(data))).map { Data($0) }
    }

    /// A signature of the simpler algorithm in this one's form.
    ///
    /// - Parameter blockSize: the bytes of a coordinate; where that says no curve, the smallest that has the numbers counts.
    package func ownForm(of signature: Data, blockSize: Int) -> Data? {
        guard changesForm else { return signature }
        let curves = EllipticCurve.allCases.filter { $0.coordinateSize == blockSize }
        return (curves.isEmpty ? EllipticCurve.allCases : curves).lazy
            .compactMap { ECDSASignature(der: Array(signature), on: $0) }.first.map { Data($0.raw) }
    }

    /// The other way round.
    package func simplerForm(of signature: Data) -> Data? {
        guard changesForm else { return signature }
        return EllipticCurve.allCases.lazy.compactMap { ECDSASignature(raw: Array(signature), on: $0) }.first
            .map { Data($0.der) }
    }
}
