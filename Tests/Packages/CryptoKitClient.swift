import CryptoKit
import Foundation

// What apps do with CryptoKit, as they write it, with nothing of ours in sight. Prints whether all came out right.
enum Wrong: Error { case result(String) }

func require(_ condition: Bool, _ what: String) throws {
    if !condition { throw Wrong.result(what) }
}

func hashes() throws {
    let digest = SHA256.hash(data: Data("abc".utf8))
    let text = digest.map { String(format: "%02x", $0) }.joined()
    try require(text == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", "SHA-256")
    var hasher = SHA512()
    hasher.update(data: Data("a".utf8))
    hasher.update(data: Data("bc".utf8))
    try require(hasher.finalize() == SHA512.hash(data: Data("abc".utf8)), "SHA-512 in parts")
    // RFC 4231, test case 2.
    let code = HMAC<SHA256>.authenticationCode(
        for: Data("what do ya want for nothing?".utf8),
        using: SymmetricKey(data: Data("Jefe".utf8))
    )
    try require(Data(code).prefix(4) == Data([0x5b, 0xdc, 0xc1, 0x46]), "HMAC")
    try require(
        HMAC<SHA256>.isValidAuthenticationCode(
            code,
            authenticating: Data("what do ya want for nothing?".utf8),
            using: SymmetricKey(data: Data("Jefe".utf8))
        ),
        "a code that is right"
    )
    _ = Insecure.MD5.hash(data: Data())
}

func sealing() throws {
    let key = SymmetricKey(size: .bits256)
    let box = try AES.GCM.seal(Data("secret".utf8), using: key, authenticating: Data("about".utf8))
    guard let combined = box.combined else { throw Wrong.result("no combined box") }
    let opened = try AES.GCM.open(AES.GCM.SealedBox(combined: combined), using: key, authenticating: Data("about".utf8))
    try require(opened == Data("secret".utf8), "AES-GCM")
    do {
        _ = try AES.GCM.open(box, using: SymmetricKey(size: .bits256), authenticating: Data("about".utf8))
        throw Wrong.result("a wrong key opens")
    } catch is CryptoKitError {}
    let poly = try ChaChaPoly.seal(Data("secret".utf8), using: key)
    try require(try ChaChaPoly.open(poly, using: key) == Data("secret".utf8), "ChaChaPoly")
}

func keys() throws {
    let message = Data("message".utf8)
    let signing = P256.Signing.PrivateKey()
    let signature = try signing.signature(for: message)
    let known = try P256.Signing.PublicKey(pemRepresentation: signing.publicKey.pemRepresentation)
    try require(known.isValidSignature(signature, for: message), "P-256")
    let edwards = Curve25519.Signing.PrivateKey()
    try require(edwards.publicKey.isValidSignature(try edwards.signature(for: message), for: message), "Ed25519")
    let (one, other) = (Curve25519.KeyAgreement.PrivateKey(), Curve25519.KeyAgreement.PrivateKey())
    let derived = try [
        one.sharedSecretFromKeyAgreement(with: other.publicKey),
        other.sharedSecretFromKeyAgreement(with: one.publicKey),
    ].map {
        $0.hkdfDerivedSymmetricKey(using: SHA256.self, salt: Data(), sharedInfo: Data("info".utf8), outputByteCount: 32)
    }
    try require(derived[0] == derived[1], "X25519")
}

func enclave() throws {
    try require(SecureEnclave.isAvailable, "no Secure Enclave")
    let message = Data("message".utf8)
    let key = try SecureEnclave.P256.Signing.PrivateKey()
    let again = try SecureEnclave.P256.Signing.PrivateKey(dataRepresentation: key.dataRepresentation)
    try require(key.publicKey.isValidSignature(try again.signature(for: message), for: message), "the enclave's key")
    let guarded = try SecureEnclave.P256.KeyAgreement.PrivateKey()
    let peer = P256.KeyAgreement.PrivateKey()
    try require(
        guarded.sharedSecretFromKeyAgreement(with: peer.publicKey)
            == peer.sharedSecretFromKeyAgreement(with: guarded.publicKey),
        "the enclave's agreement"
    )
    do {
        _ = try SecureEnclave.P256.Signing.PrivateKey(dataRepresentation: Data("no key".utf8))
        throw Wrong.result("no key is one")
    } catch is Wrong {
        throw Wrong.result("no key is one")
    } catch {}
}

do {
    try hashes()
    try sealing()
    try keys()
    try enclave()
    print("all is well")
} catch {
    print("NOT OK", error)
}
