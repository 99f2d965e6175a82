import Foundation
import KeychainCertificates
import KeychainModel
import SwiftASN1
import Testing

@testable import KeychainKeys

@Suite("Forms of keys")
struct KeyFormTests {
    // MARK: Curves

    private func number(_ curve: EllipticCurve, _ change: (inout [UInt8]) -> Void) -> [UInt8] {
        var number = curve.order
        change(&number)
        return number
    }

    @Test("Only numbers from 1 to the order's predecessor are private keys", arguments: curves)
    func range(_ curve: EllipticCurve) throws {
        let zero = [UInt8](repeating: 0, count: curve.coordinateSize)
        let one = zero.dropLast() + [1]
        let last = curve.order.dropLast() + [(curve.order.last ?? 0) - 1]
        let next = curve.order.dropLast() + [(curve.order.last ?? 0) + 1]
        let ones = [UInt8](repeating: 0xFF, count: curve.coordinateSize)
        for number in [Array(one), Array(last)] {
            #expect(failure { try CurvePrivateKey(curve, number: SecretBytes(number)) } == nil)
        }
        for number in [zero, curve.order, Array(next), ones, [], Array(one.dropFirst()), [0] + one] {
            #expect(failure { try CurvePrivateKey(curve, number: SecretBytes(number)) } == .invalidParameter)
        }
    }

    @Test("An external representation with any byte of the public half changed is refused", arguments: curves)
    func changedPoints(_ curve: EllipticCurve) throws {
        let bytes = try CurvePrivateKey(generatedOn: curve).externalRepresentation.revealed
        for index in 0..<1 + 2 * curve.coordinateSize {
            let changed = SecretBytes(bytes.changed(at: index))
            #expect(failure { try PrivateKey(externalRepresentation: changed, .ellipticCurve) } == .invalidParameter)
        }
        // The other half of another pair.
        let other = try CurvePrivateKey(generatedOn: curve)
        let mixed = SecretBytes(other.publicKey.externalRepresentation + bytes.suffix(curve.coordinateSize))
        #expect(failure { try PrivateKey(externalRepresentation: mixed, .ellipticCurve) } == .invalidParameter)
        // The point of the same X with the other Y belongs to the order less the number.
        #expect(failure { try PrivateKey(externalRepresentation: SecretBytes(bytes), .ellipticCurve) } == nil)
    }

    @Test("Everything that is not as long as a key is refused", arguments: curves)
    func lengths(_ curve: EllipticCurve) throws {
        let bytes = try CurvePrivateKey(generatedOn: curve).externalRepresentation.revealed
        for count in 0..<bytes.count {
            let cut = SecretBytes(bytes.prefix(count))
            #expect(failure { try PrivateKey(externalRepresentation: cut, .ellipticCurve) } == .invalidParameter)
        }
        for longer in [bytes + [0], [0] + bytes, bytes + bytes] {
            let longer = SecretBytes(longer)
            #expect(failure { try PrivateKey(externalRepresentation: longer, .ellipticCurve) } == .invalidParameter)
            #expect(failure { try PrivateKey(externalRepresentation: longer, .rsa) } == .invalidParameter)
        }
    }

    @Test("Infinity, compressed and hybrid points are no keys", arguments: curves)
    func otherPoints(_ curve: EllipticCurve) throws {
        let point = try CurvePrivateKey(generatedOn: curve).publicKey.externalRepresentation
        let zeros = [UInt8](repeating: 0, count: 2 * curve.coordinateSize)
        let compressed = [2 + (point.last ?? 0) % 2] + point[1...curve.coordinateSize]
        let others: [[UInt8]] = [
            [0], [4] + zeros, Array(compressed), [6] + point.dropFirst(), [7] + point.dropFirst(), [],
        ]
        for bytes in others {
            #expect(PublicKey(point: bytes) == nil)
        }
    }

    @Test("Keys have the sizes that they are asked for, and no others")
    func generation() throws {
        for curve in curves {
            let key = try PrivateKey.generate(.ellipticCurve, sizeInBits: curve.sizeInBits)
            #expect(key.publicKey.keyKind == .ellipticCurve(curve))
            let bytes = try key.externalRepresentation
            #expect(bytes.count == 1 + 3 * curve.coordinateSize)
            #expect(try PrivateKey(externalRepresentation: bytes, .ellipticCurve).publicKey == key.publicKey)
        }
        for size in [1024, 1032, 1100, 1152, 2047, 2048, 2050] {
            let key = try PrivateKey.generate(.rsa, sizeInBits: size)
            #expect(key.publicKey.sizeInBits == size)
            guard case .rsa(_, let exponent) = key.publicKey.kind else { throw KeychainError(.internalError, "no RSA") }
            #expect(exponent == [1, 0, 1])
        }
        for size in [192, 224] {
            #expect(failure { try PrivateKey.generate(.ellipticCurve, sizeInBits: size) } == .unimplemented)
        }
        for size in [0, -1, 255, 257, 512, 520, 528, .max, .min] {
            #expect(failure { try PrivateKey.generate(.ellipticCurve, sizeInBits: size) } == .invalidParameter)
        }
        // Apple makes these, and they are not used here.
        for size in [512, 1023] {
            #expect(failure { try PrivateKey.generate(.rsa, sizeInBits: size) } == .unimplemented)
        }
        for size in [0, -1, -128, 1, 511, 8193, 8320, 16384, .max, .min, .max - 127] {
            #expect(failure { try PrivateKey.generate(.rsa, sizeInBits: size) } == .invalidParameter)
        }
    }

    @Test("No two keys are the same")
    func randomness() throws {
        for curve in curves {
            let keys = try (0..<20).map { _ in try CurvePrivateKey(generatedOn: curve).number.revealed }
            #expect(Set(keys).count == keys.count)
        }
    }

    @Test("Nothing that is printed of a private key tells it")
    func printing() throws {
        for key in [try SharedKeys.rsa1024.get(), try PrivateKey.generate(.ellipticCurve, sizeInBits: 256)] {
            #expect("\(key)" == "[REDACTED]")
            #expect(String(reflecting: key) == "[REDACTED]")
            var text = ""
            dump(key, to: &text)
            #expect(text.count < 100)
        }
        let curve = try CurvePrivateKey(generatedOn: .p256)
        let digits = curve.number.revealed
        var text = "\(curve) \(String(reflecting: curve))"
        dump(curve, to: &text)
        #expect(!text.contains(digits.hexadecimal) && !text.contains(digits.map { "\($0)" }.joined(separator: ", ")))
        let rsa = try RSAPrivateKey(externalRepresentation: SharedKeys.rsa1024.get().externalRepresentation)
        var other = "\(rsa) \(String(reflecting: rsa))"
        dump(rsa, to: &other)
        #expect(other.contains("[REDACTED]"))
    }

    // MARK: RSA

    /// The nine numbers of an RSAPrivateKey, to be changed.
    private func numbers(_ key: PrivateKey) throws -> [[UInt8]] {
        let node = try DER.parse(key.externalRepresentation.revealed)
        return try DER.sequence(node, identifier: .sequence) { nodes in
            var numbers: [[UInt8]] = []
            while let node = nodes.next() { numbers.append(node.positiveInteger ?? [0]) }
            return numbers
        }
    }

    private func der(_ numbers: [[UInt8]]) -> SecretBytes {
        var serializer = DER.Serializer()
        serializer.appendConstructedNode(identifier: .sequence) { coder in
            for number in numbers {
                coder.appendPrimitiveNode(identifier: .integer) { bytes in
                    let digits = number.drop { $0 == 0 }
                    if digits.first.map({ $0 >= 0x80 }) ?? true { bytes.append(0) }
                    bytes.append(contentsOf: digits)
                }
            }
        }
        return SecretBytes(serializer.serializedBytes)
    }

    private func refusal(_ numbers: [[UInt8]]) -> KeychainError.Code? {
        failure { try RSAPrivateKey(externalRepresentation: der(numbers)) }
    }

    @Test("RSA numbers that do not belong together are refused")
    func inconsistentNumbers() throws {
        let numbers = try numbers(SharedKeys.rsa1024.get())
        #expect(numbers.count == 9)
        #expect(refusal(numbers) == nil)
        for index in 1..<9 {
            for byte in [0, numbers[index].count / 2, numbers[index].count - 1] {
                var changed = numbers
                changed[index] = numbers[index].changed(at: byte, by: 2)
                #expect(refusal(changed) != nil, "number \(index), byte \(byte)")
            }
            var missing = numbers
            missing[index] = [0]
            #expect(refusal(missing) == .invalidParameter)
            missing[index] = [1]
            #expect(refusal(missing) == .invalidParameter)
        }
        // A version for more than two primes, and others.
        for version in [1, 2, 255] as [UInt8] {
            var changed = numbers
            changed[0] = [version]
            #expect(refusal(changed) == .invalidParameter)
        }
        #expect(refusal(Array(numbers.dropLast())) == .invalidParameter)
        #expect(refusal(numbers + [[1]]) == .invalidParameter)
        // Both primes exchanged without what depends on them.
        var exchanged = numbers
        exchanged.swapAt(4, 5)
        #expect(refusal(exchanged) == .invalidParameter)
        // The modulus as a prime, and one.
        var trivial = numbers
        trivial[4] = numbers[1]
        trivial[5] = [1]
        #expect(refusal(trivial) == .invalidParameter)
    }

    @Test("Even, tiny and huge public exponents are refused")
    func exponents() throws {
        let numbers = try numbers(SharedKeys.rsa1024.get())
        for exponent in [[1], [2], [1, 0, 0], [1, 0, 2]] as [[UInt8]] {
            var changed = numbers
            changed[2] = exponent
            #expect(refusal(changed) == .invalidParameter)
        }
        for exponent in [[4, 0, 0, 0, 1], [UInt8](repeating: 0xFF, count: 128)] {
            var changed = numbers
            changed[2] = exponent
            #expect(refusal(changed) == .unimplemented)
        }
        // As a public key it is read, for a certificate may have it; nothing is computed with it.
        let modulus = try #require(try PublicKey(rsa: publicDER(numbers[1], [UInt8](repeating: 0x7F, count: 127))))
        #expect(!modulus.supports(.verify, .rsaSignature(.pss, .message, .sha256)))
        let signature = [UInt8](repeating: 1, count: 128)
        let algorithm = KeyAlgorithm.rsaSignature(.pkcs1v15, .message, .sha256)
        #expect(failure { try modulus.verify(signature, of: [], algorithm) } == .unimplemented)
        #expect(failure { try modulus.encrypted([1], .rsaEncryption(.pkcs1)) } == .unimplemented)
        #expect(failure { try modulus.encrypted([1], .rsaEncryptionAESGCM(.sha256)) } == .unimplemented)
    }

    private func publicDER(_ modulus: [UInt8], _ exponent: [UInt8]) throws -> [UInt8] {
        der([modulus, exponent]).revealed
    }

    @Test("Keys that are too small or too large are refused before anything is computed")
    func sizes() throws {
        // As long as RSA keys of these sizes, whatever the numbers are worth.
        for (bits, expected) in [
            (512, KeychainError.Code.unimplemented), (1016, .unimplemented), (8200, .unimplemented),
            (16384, .unimplemented), (504, .invalidParameter), (16392, .invalidParameter), (32768, .invalidParameter),
        ] {
            let odd = [UInt8](repeating: 0xFF, count: bits / 8)
            let half = [UInt8](repeating: 0xFF, count: bits / 16)
            let key = [[0], odd, [1, 0, 1], odd, half, half, half, half, half]
            #expect(refusal(key) == expected, "\(bits)")
            guard let publicKey = PublicKey(rsa: try publicDER(odd, [1, 0, 1])) else { continue }
            let algorithm = KeyAlgorithm.rsaSignature(.pkcs1v15, .message, .sha256)
            #expect(failure { try publicKey.verify(odd, of: [], algorithm) } == .unimplemented)
        }
        // A megabyte of nothing, and a number that is longer than the modulus.
        #expect(
            failure { try RSAPrivateKey(externalRepresentation: SecretBytes(count: 1 << 20) { _ in }) }
                == .invalidParameter
        )
        var numbers = try numbers(SharedKeys.rsa1024.get())
        numbers[3] = [UInt8](repeating: 0xFF, count: 4096)
        #expect(refusal(numbers) == .invalidParameter)
    }

    @Test("A key of composite numbers signs and decrypts nothing")
    func compositePrimes() throws {
        // 3 · p, where p is prime: what the numbers have to fulfil can be computed, but it is no RSA.
        let key = try #require(CompositeKey.der.map { SecretBytes($0) })
        let read = try PrivateKey(externalRepresentation: key, .rsa)
        #expect(failure { try read.signature(of: [1, 2, 3], .rsaSignaturePKCS1v15) } != nil)
        #expect(failure { try read.decrypted([UInt8](repeating: 1, count: 128), .rsaEncryption(.none)) } != nil)
    }

    // MARK: PKCS #8 and DER

    @Test("Files that others know to be right or wrong are taken or refused")
    func files() throws {
        try Vectors.check("private_keys", atLeast: 20) { _, vector in
            let bytes = SecretBytes(try vector.bytes.bytes())
            let answer = failure {
                switch vector.form {
                case "sec1": _ = try CurvePrivateKey(sec1: bytes)
                case "rsa": _ = try RSAPrivateKey(externalRepresentation: bytes)
                default: _ = try PrivateKey(pkcs8: bytes)
                }
            }
            guard vector.result == .valid else {
                return answer == .invalidParameter ? nil : "\(answer.debugDescription)"
            }
            return answer.map { "\($0)" }
        }
    }

    @Test("PKCS #8 that is cut short, or has anything behind it, is refused")
    func cutInfo() throws {
        for key in [try SharedKeys.rsa1024.get()]
            + (try curves.map { PrivateKey(try CurvePrivateKey(generatedOn: $0)) })
        {
            let bytes = try key.pkcs8.revealed
            for count in 0..<bytes.count {
                #expect(failure { try PrivateKey(pkcs8: SecretBytes(bytes.prefix(count))) } == .invalidParameter)
            }
            #expect(failure { try PrivateKey(pkcs8: SecretBytes(bytes + [0])) } == .invalidParameter)
            #expect(failure { try PrivateKey(pkcs8: SecretBytes(bytes + bytes)) } == .invalidParameter)
            let external = try key.externalRepresentation.revealed
            #expect(failure { try PrivateKey(pkcs8: SecretBytes(external)) } == .invalidParameter)
        }
    }

    @Test("PKCS #8 with any bit changed is refused, or is a whole key")
    func changedInfo() throws {
        for key in try curves.map({ PrivateKey(try CurvePrivateKey(generatedOn: $0)) }) {
            let bytes = try key.pkcs8.revealed
            for index in bytes.indices {
                for mask in [1, 0x80] as [UInt8] {
                    // No key comes of it: the public half stands in it and would have to fit.
                    #expect(failure { try PrivateKey(pkcs8: SecretBytes(bytes.changed(at: index, by: mask))) } != nil)
                }
            }
        }
    }

    @Test("A second public key and attributes are read as RFC 5958 says")
    func secondVersion() throws {
        let key = try CurvePrivateKey(generatedOn: .p256)
        let other = try CurvePrivateKey(generatedOn: .p256).publicKey.externalRepresentation
        let own = key.publicKey.externalRepresentation
        let inner = try key.sec1(namingCurve: false).revealed
        let attributes: [UInt8] = [0xA0, 0]
        func info(_ version: UInt8, _ suffix: [UInt8]) -> SecretBytes {
            let content =
                [2, 1, version] + DERHeader.curveAlgorithm(.p256) + DERHeader.bytes(.octetString, count: inner.count)
                + inner
                + suffix
            return SecretBytes(DERHeader.bytes(.sequence, count: content.count) + content)
        }
        func tagged(_ point: [UInt8]) -> [UInt8] { [0x81, UInt8(point.count + 1), 0] + point }
        #expect(failure { try PrivateKey(pkcs8: info(0, [])) } == nil)
        #expect(failure { try PrivateKey(pkcs8: info(0, attributes)) } == nil)
        #expect(failure { try PrivateKey(pkcs8: info(1, tagged(own))) } == nil)
        #expect(failure { try PrivateKey(pkcs8: info(1, attributes + tagged(own))) } == nil)
        for wrong in [
            info(1, tagged(other)), info(0, tagged(own)), info(1, []), info(2, []), info(1, tagged(own) + attributes),
            info(0, [5, 0]),
        ] {
            #expect(failure { try PrivateKey(pkcs8: wrong) } == .invalidParameter)
        }
    }

    @Test("PKCS #8 with bits that are left out, other parameters, or more than a key is refused")
    func otherInfo() throws {
        func info(_ version: UInt8, _ algorithm: [UInt8], _ key: [UInt8], _ suffix: [UInt8] = []) -> SecretBytes {
            let content =
                [2, 1, version] + algorithm + DERHeader.bytes(.octetString, count: key.count) + key + suffix
            return SecretBytes(DERHeader.bytes(.sequence, count: content.count) + content)
        }
        // A public key whose last bit is zero, so that it may be left out.
        var key = try CurvePrivateKey(generatedOn: .p256)
        while key.publicKey.externalRepresentation.last.map({ $0 % 2 }) != 0 {
            key = try CurvePrivateKey(generatedOn: .p256)
        }
        let point = key.publicKey.externalRepresentation
        let inner = try key.sec1(namingCurve: false).revealed
        for unused in [0, 1] as [UInt8] {
            let suffix = [0x81, UInt8(point.count + 1), unused] + point
            let answer = failure { try PrivateKey(pkcs8: info(1, DERHeader.curveAlgorithm(.p256), inner, suffix)) }
            #expect(answer == (unused == 0 ? nil : .invalidParameter))
        }
        // More attributes than anybody has.
        for count in [1000, 40_000] {
            let attributes =
                DERHeader.bytes(.tagged(0), count: count + 4) + [4, 0x82, UInt8(count >> 8), UInt8(count & 0xFF)]
            let suffix = attributes + [UInt8](repeating: 0, count: count)
            let answer = failure { try PrivateKey(pkcs8: info(0, DERHeader.curveAlgorithm(.p256), inner, suffix)) }
            #expect(answer == (count == 1000 ? nil : .invalidParameter))
        }
        let rsa = try SharedKeys.rsa1024.get().externalRepresentation.revealed
        let identifier = Array(DERHeader.rsaAlgorithm.dropFirst(2).dropLast(2))
        for (parameters, expected) in [
            ([5, 0], nil), ([], .invalidParameter), ([2, 1, 0], .invalidParameter), ([0x30, 0], .invalidParameter),
        ]
            as [([UInt8], KeychainError.Code?)]
        {
            let algorithm = [0x30, UInt8(identifier.count + parameters.count)] + identifier + parameters
            #expect(failure { try PrivateKey(pkcs8: info(0, algorithm, rsa)) } == expected)
        }
    }

    @Test("SubjectPublicKeyInfo is read back, and nothing else")
    func publicInfo() throws {
        let keys =
            [try SharedKeys.rsa1024.get().publicKey]
            + (try curves.map { try CurvePrivateKey(generatedOn: $0).publicKey })
        for key in keys {
            let bytes = key.subjectPublicKeyInfo
            #expect(PublicKey(subjectPublicKeyInfo: bytes) == key)
            for count in 0..<bytes.count { #expect(PublicKey(subjectPublicKeyInfo: Array(bytes.prefix(count))) == nil) }
            #expect(PublicKey(subjectPublicKeyInfo: bytes + [0]) == nil)
            #expect(PublicKey(subjectPublicKeyInfo: key.externalRepresentation) == nil)
            for index in 0..<20 {
                #expect(PublicKey(subjectPublicKeyInfo: bytes.changed(at: index)) != key)
            }
        }
        // RSA without its NULL.
        let rsa = try SharedKeys.rsa1024.get().publicKey.externalRepresentation
        let algorithm = DERHeader.rsaAlgorithm.dropLast(2)
        let content = [0x30, UInt8(algorithm.count - 2)] + algorithm.dropFirst(2) + DERHeader.bitString(rsa)
        #expect(PublicKey(subjectPublicKeyInfo: DERHeader.bytes(.sequence, count: content.count) + content) == nil)
    }
}
