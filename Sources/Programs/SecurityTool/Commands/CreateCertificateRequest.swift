import ArgumentParser
import KeychainExchange
import KeychainModel
import Terminal

struct CreateCertificateRequest: ItemCommand {
    static let configuration = CommandConfiguration(
        commandName: "create-certificate-request",
        abstract: "Ask an authority for a certificate of a private key. (Not on a Mac.)",
        discussion: """
            Writes a request (PKCS #10) that the key has signed, which may be in the Secure Enclave. The certificate that \
            the authority answers with is added by the command import, and makes an identity with the key.

            EXAMPLES
              A client's certificate for a key that never leaves this machine:
                security create-keypair --enclave "this machine"
                security create-certificate-request -s /O=Bakery/CN=alice --purpose clientAuth "this machine"
            """
    )

    static let syntax = CertificateOptions.syntax + ScopeOptions.syntax

    @OptionGroup var certificate: CertificateOptions
    @OptionGroup(title: "Scope") var scope: ScopeOptions

    func run() throws {
        let key = try CertifiedKey(label: certificate.name, in: scope)
        let request = CertificateRequest(
            subject: certificate.subjectParts,
            publicKey: key.publicKey,
            extensions: certificate.extensions
        )
        let toBeSigned = try Failure.encoding { () throws(KeychainError) in try request.toBeSigned() }
        let signature = try key.sign(toBeSigned)
        let bytes = key.algorithm.signed(toBeSigned, signature: signature)
        try certificate.write(.certificateRequest, bytes)
    }
}
