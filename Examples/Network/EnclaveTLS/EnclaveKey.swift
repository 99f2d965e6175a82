import Crypto
import Foundation
import NIOCore
import NIOSSL
import Security
import SwiftASN1
import X509

/// A private key of the keychain as swift-nio-ssl and swift-certificates know keys: as something that signs.
struct EnclaveKey: Hashable, Sendable {
    private let key: SecKey
    let verifier: P256.Signing.PublicKey

    /// - Throws: a sentence where it is no key on P-256.
    init(_ key: SecKey) throws {
        var error: Unmanaged<CFError>?
        guard let publicKey = SecKeyCopyPublicKey(key),
            let point = SecKeyCopyExternalRepresentation(publicKey, &error) as Data?,
            let verifier = try? P256.Signing.PublicKey(x963Representation: point)
        else { throw Failure("the key has no public half on P-256", error) }
        self.key = key
        self.verifier = verifier
    }

    /// ECDSA with SHA-256, in DER. It may ask the person, and then takes as long as they do.
    func sign(_ message: Data) throws -> Data {
        var error: Unmanaged<CFError>?
        let algorithm = SecKeyAlgorithm.ecdsaSignatureMessageX962SHA256
        guard let signature = SecKeyCreateSignature(key, algorithm, message as CFData, &error) as Data? else {
            throw Failure("the key did not sign", error)
        }
        return signature
    }

    static func == (first: Self, second: Self) -> Bool { first.key == second.key }

    func hash(into hasher: inout Hasher) { hasher.combine(verifier.x963Representation) }
}

// MARK: - For swift-nio-ssl

extension EnclaveKey: NIOSSLCustomPrivateKey {
    var signatureAlgorithms: [SignatureAlgorithm] { [.ecdsaSecp256R1Sha256] }

    /// On a thread of its own: an event loop must not wait for a person.
    func sign(channel: any Channel, algorithm: SignatureAlgorithm, data: ByteBuffer) -> EventLoopFuture<ByteBuffer> {
        let promise = channel.eventLoop.makePromise(of: ByteBuffer.self)
        Thread.detachNewThread {
            promise.completeWith(
                Result {
                    do {
                        return ByteBuffer(bytes: try sign(Data(data.readableBytesView)))
                    } catch {
                        // The connection fails without the reason.
                        warn("\(error)")
                        throw error
                    }
                }
            )
        }
        return promise.futureResult
    }

    /// For RSA alone.
    func decrypt(channel: any Channel, data: ByteBuffer) -> EventLoopFuture<ByteBuffer> {
        channel.eventLoop.makeFailedFuture(Failure("the key decrypts nothing"))
    }
}

// MARK: - For swift-certificates

extension EnclaveKey: CustomPrivateKey {
    var publicKey: X509.Certificate.PublicKey { X509.Certificate.PublicKey(verifier) }
    var defaultSignatureAlgorithm: X509.Certificate.SignatureAlgorithm { .ecdsaWithSHA256 }
    var supportedSignatureAlgorithms: [X509.Certificate.SignatureAlgorithm] { [.ecdsaWithSHA256] }

    func signSynchronously(
        bytes: some DataProtocol,
        signatureAlgorithm: X509.Certificate.SignatureAlgorithm
    ) throws -> X509.Certificate.Signature {
        guard signatureAlgorithm == .ecdsaWithSHA256 else { throw Failure("the key does not sign so") }
        let signature = try sign(Data(bytes))
        return try X509.Certificate.Signature(
            signatureAlgorithm: signatureAlgorithm,
            signatureBytes: ASN1BitString(bytes: ArraySlice(signature))
        )
    }

    // A key is written down by its certificate alone.
    static var defaultPEMDiscriminator: String { "PRIVATE KEY" }

    func serialize(into coder: inout DER.Serializer) throws { throw Failure("the key cannot leave the Secure Enclave") }
}
