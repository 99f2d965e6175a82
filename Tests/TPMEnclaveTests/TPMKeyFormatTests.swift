import Crypto
import Foundation
import KeychainModel
import TPMEnclave
import Testing

/// What is read of keys, and looked at of a TPM's answers, without a TPM.
@Suite
struct TPMKeyFormatTests {
    private let privateKey = P256.Signing.PrivateKey()
    private let authorization = SecretBytes(Array(0..<32))
    private let privatePart: [UInt8] = [0, 3, 1, 2, 3]

    private var point: [UInt8] { Array(privateKey.publicKey.x963Representation) }

    /// As the specification has it, written down here once more.
    private func area(
        attributes: UInt32 = 0x0006_0472,
        middle: [UInt8] = [0, 0, 0, 0x10, 0, 0x10, 0, 3, 0, 0x10],
        x: [UInt8]? = nil,
        y: [UInt8]? = nil
    ) -> [UInt8] {
        let (x, y) = (x ?? Array(point[1..<33]), y ?? Array(point[33..<65]))
        let area =
            [0, 0x23, 0, 0x0B] + attributes.bytes + middle + UInt16(x.count).bytes + x + UInt16(y.count).bytes + y
        return UInt16(area.count).bytes + area
    }

    private func blob() throws -> TPMKeyBlob {
        let area = try #require(TPMKeyArea(area()))
        return TPMKeyBlob(authorization: authorization, area: area, privatePart: privatePart)
    }

    // MARK: - The public area

    @Test func `a public area of the template gives the key and the name`() throws {
        let area = try #require(TPMKeyArea(area()))
        #expect(Array(area.publicKey.x963Representation) == point)
        #expect(area.bytes == self.area())
        #expect(area.name == [0, 0x0B] + SHA256.hash(data: self.area().dropFirst(2)))
    }

    @Test(arguments: 0..<32)
    func `a key with one attribute more or less is refused`(bit: UInt32) {
        #expect(TPMKeyArea(area(attributes: 0x0006_0472 ^ 1 << bit)) == nil)
    }

    @Test(arguments: 0..<10)
    func `a key of another curve, scheme, cipher or policy is refused`(offset: Int) {
        var middle: [UInt8] = [0, 0, 0, 0x10, 0, 0x10, 0, 3, 0, 0x10]
        middle[offset] ^= 1
        #expect(TPMKeyArea(area(middle: middle)) == nil)
    }

    @Test func `a key of another type, or with names of another digest, is refused`() {
        for offset in 2..<6 {
            var changed = area()
            changed[offset] ^= 1
            #expect(TPMKeyArea(changed) == nil)
        }
    }

    @Test func `a point off the curve, a coordinate that is too long, and an area that is cut or goes on are refused`()
    {
        #expect(TPMKeyArea(area(x: Array(point[33..<65]))) == nil)
        #expect(TPMKeyArea(area(x: [], y: [])) == nil)
        #expect(TPMKeyArea(area(x: [0] + point[1..<33])) == nil)
        let whole = area()
        #expect(TPMKeyArea(whole + [0]) == nil)
        #expect(TPMKeyArea(UInt16(whole.count - 1).bytes + whole.dropFirst(2) + [0]) == nil)
        for length in 0..<whole.count {
            #expect(TPMKeyArea(whole.prefix(length)) == nil)
            let inner = Array(whole.prefix(length).dropFirst(2))
            #expect(TPMKeyArea(UInt16(inner.count).bytes + inner) == nil)
        }
    }

    @Test func `a coordinate whose first zeroes a TPM leaves out is filled up`() throws {
        var key = P256.Signing.PrivateKey()
        while key.publicKey.x963Representation[1] != 0 { key = P256.Signing.PrivateKey() }
        let point = Array(key.publicKey.x963Representation)
        let area = try #require(TPMKeyArea(area(x: Array(point[2..<33]), y: Array(point[33..<65]))))
        #expect(Array(area.publicKey.x963Representation) == point)
    }

    // MARK: - The blob

    @Test func `a key is read as it was written, byte by byte as documented`() throws {
        let bytes = try blob().bytes.array
        #expect(bytes == [1] + Array(0..<32) + area() + privatePart)
        let read = try TPMKeyBlob(SecretBytes(bytes))
        #expect(read.authorization.array == Array(0..<32))
        #expect(read.area.bytes == area())
        #expect(read.privatePart == privatePart)
        #expect(read.bytes.array == bytes)
    }

    @Test func `a key that is cut anywhere, goes on, or is of another version is refused`() throws {
        let whole = try blob().bytes.array
        for length in 0..<whole.count { refuse(Array(whole.prefix(length))) }
        refuse(whole + [0])
        for version: UInt8 in [0, 2, 255] { refuse([version] + whole.dropFirst()) }
    }

    @Test func `a private part that is empty or larger than any is refused`() {
        let head: [UInt8] = [1] + Array(0..<32) + area()
        refuse(head + [0, 0])
        for size in [UInt16(511), 0xFFFF] { refuse(head + size.bytes + [UInt8](repeating: 1, count: Int(size))) }
        refuse(head + [0xFF, 0xFF, 1])
        let largest = head + UInt16(510).bytes + [UInt8](repeating: 1, count: 510)
        #expect(throws: Never.self) { try TPMKeyBlob(SecretBytes(largest)) }
    }

    private func refuse(_ bytes: [UInt8], _ location: SourceLocation = #_sourceLocation) {
        #expect(throws: KeychainError(.notAvailable, ""), sourceLocation: location) {
            try TPMKeyBlob(SecretBytes(bytes))
        }
    }

    // MARK: - Answers

    @Test func `a made key that is not the one that was asked for, or is called otherwise, is not taken`() throws {
        let right = UncheckedTPMKey(
            parts: SealedBlob(publicPart: area(), privatePart: privatePart),
            name: try blob().area.name
        )
        #expect(try right.checked(authorization: authorization).bytes.array == blob().bytes.array)
        var name = try blob().area.name
        name[33] ^= 1
        // One that may be duplicated out of the TPM, with the name that it has.
        let loose = area(attributes: 0x0006_0470)
        for (area, name) in [(area(), name), (loose, [0, 0x0B] + SHA256.hash(data: loose.dropFirst(2)))] {
            let key = UncheckedTPMKey(parts: SealedBlob(publicPart: area, privatePart: privatePart), name: name)
            #expect(throws: TPMFailure(.faulty)) { try key.checked(authorization: authorization) }
        }
    }

    @Test func `a signature that is none, or of something else, is not given out`() throws {
        let message = Data("message".utf8)
        let digest = Array(SHA256.hash(data: message))
        let signature = Array(try privateKey.signature(for: message).rawRepresentation)
        let key = privateKey.publicKey
        #expect(try UnverifiedSignature(signature).verified(ofDigest: digest, by: key) == signature)
        for offset in 0..<64 {
            var wrong = signature
            wrong[offset] ^= 1
            #expect(throws: TPMFailure(.faulty)) {
                try UnverifiedSignature(wrong).verified(ofDigest: digest, by: key)
            }
        }
        let other = P256.Signing.PrivateKey().publicKey
        #expect(throws: TPMFailure(.faulty)) {
            try UnverifiedSignature(signature).verified(ofDigest: digest, by: other)
        }
        let others = [UInt8](repeating: 0, count: 32)
        #expect(throws: TPMFailure(.faulty)) {
            try UnverifiedSignature(signature).verified(ofDigest: others, by: key)
        }
        #expect(throws: TPMFailure(.faulty)) {
            try UnverifiedSignature([UInt8](repeating: 0, count: 64)).verified(ofDigest: digest, by: key)
        }
        #expect(throws: TPMFailure(.faulty)) {
            try UnverifiedSignature(signature).verified(ofDigest: digest.dropLast(), by: key)
        }
    }

    @Test func `a product that is no point of the curve is not given out`() throws {
        let product = Array(point.dropFirst())
        #expect(try UncheckedProduct(SecretBytes(product)).coordinate().array == Array(product.prefix(32)))
        var off = product
        off[63] ^= 1
        for wrong in [off, [UInt8](repeating: 0, count: 64), Array(product.dropLast()), product + [0], []] {
            #expect(throws: TPMFailure(.faulty)) { try UncheckedProduct(SecretBytes(wrong)).coordinate() }
        }
    }
}
