import CoreFoundationAliases
import Foundation

@_implementationOnly import KeychainCertificates
@_implementationOnly import KeychainExchange
@_implementationOnly import KeychainKeys
@_implementationOnly import KeychainModel

/// A PKCS #12 file whose keys and certificates are objects.
@_implementationOnly
struct PKCS12File {
    let certificates: [SecCertificate]
    private(set) var identities: [PKCS12Identity] = []
    /// Those of no certificate in the file.
    private(set) var otherKeys: [SecKey] = []

    /// - Throws: what reading it throws, and `undecodable` for an invalid certificate or a key of another kind.
    init(_ bytes: [UInt8], passphrase: SecretBytes?) throws(KeychainError) {
        let contents = try PKCS12Contents(reading: bytes, password: passphrase)
        var certificates: [SecCertificate] = []
        // What is in the file twice counts once.
        var seen: Set<[UInt8]> = []
        let entries = contents.certificates.filter { seen.insert($0.der).inserted }
        for certificate in entries {
            guard let object = SecCertificateCreateWithData(nil, NSData(copying: certificate.der)) else {
                throw KeychainError(.undecodable, "a certificate in the file cannot be read")
            }
            certificates.append(object)
        }
        self.certificates = certificates
        let publicKeys = certificates.map { $0.contents?.subjectPublicKeyInfo.publicKey }
        var keys: [SecKey] = []
        for entry in contents.keys {
            let key: SecKey
            do throws(KeychainError) {
                key = SecKey(.privateKey(try PrivateKey(pkcs8: entry.privateKey)))
            } catch {
                throw error.code == .unimplemented
                    ? error : KeychainError(.undecodable, "a private key in the file is of no kind that is used")
            }
            guard !keys.contains(where: { $0.publicKey == key.publicKey }) else { continue }
            keys.append(key)
            // The keys themselves tell what belongs together; what the file says of it need not be true.
            let mine = publicKeys.indices.filter { publicKeys[$0] == key.publicKey }
            let named = mine.first { entries[$0].localKeyID == entry.localKeyID } ?? mine.first
            guard let index = named, let identity = SecIdentity(certificates[index], key) else {
                otherKeys.append(key)
                continue
            }
            identities.append(
                PKCS12Identity(
                    identity: identity,
                    certificateIndex: index,
                    label: entry.friendlyName ?? entries[index].friendlyName,
                    chain: Self.chain(from: index, in: certificates)
                )
            )
        }
    }

    /// The certificate and those up from it, as far as the file has them. Signatures are not verified: that is for a trust
    /// evaluation.
    private static func chain(from index: Int, in certificates: [SecCertificate]) -> [SecCertificate] {
        var chain = [certificates[index]]
        var rest = certificates.indices.filter { $0 != index }
        while let last = chain.last?.contents, !last.isSelfIssued, chain.count < 32 {
            let issuer = last.issuer.normalizedContent
            guard
                let next = rest.firstIndex(where: { certificates[$0].contents?.subject?.normalizedContent == issuer })
            else { break }
            chain.append(certificates[rest.remove(at: next)])
        }
        return chain
    }
}

extension CertificateContents {
    fileprivate var isSelfIssued: Bool { subject == issuer }
}

/// An identity of a PKCS #12 file. No nested type: of an extension of one in a hidden type, Swift 6.3.1 makes a module that
/// it crashes on.
@_implementationOnly
struct PKCS12Identity {
    let identity: SecIdentity
    /// Where its certificate is.
    let certificateIndex: Int
    let label: String?
    let chain: [SecCertificate]

    /// What `SecPKCS12Import` says of it.
    var dictionary: NSDictionary {
        let result: NSMutableDictionary = [
            kSecImportItemIdentity: identity, kSecImportItemCertChain: chain as NSArray,
            kSecImportItemKeyID: NSData(copying: identity.privateKey.publicKey.applicationLabel),
            kSecImportItemTrust: SecTrust(certificates: chain, policies: [SecPolicyCreateBasicX509()]),
        ]
        if let label { result[kSecImportItemLabel] = label as NSString }
        return result
    }
}
