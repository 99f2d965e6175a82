import ArgumentParser
import CoreFoundationAliases
import Foundation
import KeychainExchange
import KeychainModel
import Security
import Terminal

struct CreateCertificate: ItemCommand {
    static let configuration = CommandConfiguration(
        commandName: "create-certificate",
        abstract: "Make a certificate that its own key signs, and store it. (Not on a Mac.)",
        discussion: """
            It makes an identity with its private key, which may be in the Secure Enclave. It is written out too, for \
            those who are to trust it.

            EXAMPLES
              An identity of which the key never leaves this machine:
                security create-keypair --enclave "this machine"
                security create-certificate --days 90 --purpose clientAuth -o machine.pem "this machine"
            """
    )

    static let syntax = CertificateOptions.syntax + ScopeOptions.syntax + OptionSyntax(valued: ["days"])

    @Option(help: "For how many days from now it is valid.")
    var days: UInt16 = 365

    @OptionGroup var certificate: CertificateOptions
    @OptionGroup(title: "Scope") var scope: ScopeOptions

    func run() throws {
        let key = try CertifiedKey(label: certificate.name, in: scope)
        var extensions = certificate.extensions
        extensions.basicConstraints = .notAnAuthority
        let now = Date.now.timeIntervalSinceReferenceDate
        let new = NewCertificate(
            subject: certificate.subjectParts,
            notBefore: now,
            notAfter: now + Double(days) * 86_400,
            publicKey: key.publicKey,
            extensions: extensions
        )
        let toBeSigned = try Failure.encoding { () throws(KeychainError) in try new.toBeSigned(key.algorithm) }
        let signature = try key.sign(toBeSigned)
        let bytes = key.algorithm.signed(toBeSigned, signature: signature)
        guard let reference = SecCertificateCreateWithData(nil, Data(bytes) as CFData) else {
            throw Failure(.sign, errSecInternalError)
        }
        var item: [CFString: Any] = [kSecValueRef: reference, kSecAttrLabel: certificate.name]
        item[kSecAttrAccessGroup] = scope.group
        if scope.synchronizable { item[kSecAttrSynchronizable] = true }
        let status = SecItemAdd(item as CFDictionary, nil)
        guard status == errSecSuccess else { throw Failure(.create, status) }
        try certificate.write(.certificate, bytes)
    }
}
