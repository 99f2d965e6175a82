import Crypto
import CryptoExtras
import Foundation

@testable import SSHAgentProtocol

/// A key of a test's own, and what it looks like in messages.
struct SampleKey: Sendable {
    enum Kind: CaseIterable, Sendable {
        case ed25519, p256, p384, p521, rsa
    }

    let blob: [UInt8]
    /// What follows the public half in a request that adds the key.
    let privatePart: [UInt8]
    /// The whole key in a request that adds it, without a comment.
    let added: [UInt8]
    /// Signs as ssh does.
    let sign: @Sendable ([UInt8]) throws -> [UInt8]

    var publicKey: SSHPublicKey { get throws { try SSHPublicKey(blob) } }

    init(_ kind: Kind = .ed25519) throws {
        switch kind {
        case .ed25519:
            self.init(Curve25519.Signing.PrivateKey())
        case .p256:
            let key = P256.Signing.PrivateKey()
            self.init("nistp256", Array(key.publicKey.x963Representation), Array(key.rawRepresentation)) {
                Array(try key.signature(for: $0).rawRepresentation)
            }
        case .p384:
            let key = P384.Signing.PrivateKey()
            self.init("nistp384", Array(key.publicKey.x963Representation), Array(key.rawRepresentation)) {
                Array(try key.signature(for: $0).rawRepresentation)
            }
        case .p521:
            let key = P521.Signing.PrivateKey()
            self.init("nistp521", Array(key.publicKey.x963Representation), Array(key.rawRepresentation)) {
                Array(try key.signature(for: $0).rawRepresentation)
            }
        case .rsa: try self.init(rsa: SampleRSA())
        }
    }

    private init(_ key: Curve25519.Signing.PrivateKey) {
        let point = Array(key.publicKey.rawRepresentation)
        let both = string(Array(key.rawRepresentation) + point)
        blob = string("ssh-ed25519") + string(point)
        privatePart = string(point) + both
        added = blob + both
        sign = { string("ssh-ed25519") + string(Array(try key.signature(for: $0))) }
    }

    private init(
        _ curve: String,
        _ point: [UInt8],
        _ scalar: [UInt8],
        _ raw: @escaping @Sendable ([UInt8]) throws -> [UInt8]
    ) {
        blob = string("ecdsa-sha2-" + curve) + string(curve) + string(point)
        privatePart = mpint(scalar)
        added = blob + privatePart
        sign = { data in
            let signature = try raw(data)
            let half = signature.count / 2
            let content = mpint(Array(signature.prefix(half))) + mpint(Array(signature.suffix(half)))
            return string("ecdsa-sha2-" + curve) + string(content)
        }
    }

    private init(rsa: SampleRSA) throws {
        blob = string("ssh-rsa") + mpint(rsa.e) + mpint(rsa.n)
        privatePart = mpint(rsa.d) + mpint(rsa.iqmp) + mpint(rsa.p) + mpint(rsa.q)
        added = string("ssh-rsa") + mpint(rsa.n) + mpint(rsa.e) + privatePart
        let key = rsa.key
        sign = { data in
            let signature = try key.signature(for: SHA512.hash(data: data), padding: .insecurePKCS1v1_5)
            return string("rsa-sha2-512") + string(Array(signature.rawRepresentation))
        }
    }

    /// Request 17, or 25 with constraints.
    func adding(comment: String = "a key", constraints: [UInt8]? = nil) -> [UInt8] {
        [constraints == nil ? 17 : 25] + added + string(comment) + (constraints ?? [])
    }

    /// Request 13.
    func signing(_ data: [UInt8], flags: Int = 0) -> [UInt8] { [13] + string(blob) + string(data) + u32(flags) }
}

/// The parts of an RSA key, out of its DER.
struct SampleRSA {
    let key: _RSA.Signing.PrivateKey
    let n, e, d, p, q, iqmp: [UInt8]

    init() throws {
        key = try _RSA.Signing.PrivateKey(keySize: .bits2048)
        // PKCS #1: a sequence of version, n, e, d, p, q, dp, dq, iqmp.
        var rest = Array(key.derRepresentation)[...]
        func header() -> Int {
            rest = rest.dropFirst()
            let first = Int(rest.popFirst() ?? 0)
            guard first > 127 else { return first }
            return (0..<(first & 127)).reduce(0) { size, _ in size << 8 | Int(rest.popFirst() ?? 0) }
        }
        _ = header()
        var numbers: [[UInt8]] = []
        while !rest.isEmpty {
            let size = header()
            numbers.append(Array(rest.prefix(size)))
            rest = rest.dropFirst(size)
        }
        (n, e, d, p, q, iqmp) = (numbers[1], numbers[2], numbers[3], numbers[4], numbers[5], numbers[8])
    }
}
