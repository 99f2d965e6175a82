import KeychainCertificates
package import KeychainModel
import SwiftASN1

/// Certificates alone, in the form of a signed message without a signature (RFC 5652, section 5.1; RFC 2315 before it):
/// what `.p7b` and `.p7c` files are.
package enum CertificateBundle {
    private static let mostCertificates = 10_000

    /// Reads the certificates of a SignedData. What is signed in it, if anything, and by whom is not looked at.
    ///
    /// - Parameter bytes: a ContentInfo in BER.
    /// - Returns: the certificates in the order of the file, as they stand there; whether they are certificates was not
    ///   checked.
    /// - Throws: `undecodable` for something else, `unimplemented` for another kind of CMS, `dataTooLarge`.
    package static func certificates(in bytes: [UInt8]) throws(KeychainError) -> [[UInt8]] {
        var info = try BoundedBER.parse(bytes).fields()
        let type = try info.next().identifierOfObject()
        guard type == .signedData else { throw .unknownAlgorithm(type) }
        var fields = try info.next().tagged(0).fields()
        try info.end()
        _ = try fields.next().number()
        _ = try fields.next().fields(.set)
        _ = try fields.next().fields()
        guard let set = fields.next(.context(0)) else { return [] }
        var choices = try set.fields(.context(0))
        var certificates: [[UInt8]] = []
        while let choice = choices.nextIfAny() {
            // The other kinds, such as attribute certificates, are tagged.
            guard choice.identifier == .sequence else { continue }
            guard certificates.count < mostCertificates else { throw .tooLarge }
            certificates.append(Array(choice.encodedBytes))
        }
        return certificates
    }

    /// - Parameter certificates: in DER. In the file they have the order of a SET.
    /// - Returns: a ContentInfo in DER.
    package static func encoded(_ certificates: [[UInt8]]) -> [UInt8] {
        let signedData = Encoding.sequence(
            Encoding.integer(1),
            Encoding.set([]),
            Encoding.sequence(Encoding.object(.data)),
            Encoding.set(certificates, tag: 0xA0),
            Encoding.set([])
        )
        return Encoding.sequence(Encoding.object(.signedData), Encoding.tagged(0, signedData))
    }
}
