import Crypto
import KeychainModel
import Testing

@testable import KeychainExchange

/// The ciphers, against published vectors.
@Suite struct BlockCipherTests {
    @Test("RC2 and 3DES are what their specifications say")
    func vectors() throws {
        // RFC 2268, section 5: 128 bits; of CBC with a vector of zeros, one block is the block.
        let rc2 = try BlockCipher.rc2With128Bits.encrypt(
            SecretBytes([UInt8](repeating: 0, count: 8)),
            key: SymmetricKey(data: [
                0x88, 0xBC, 0xA9, 0x0E, 0x90, 0x87, 0x5A, 0x7F, 0x0F, 0x79, 0xC3, 0x84, 0x62, 0x7B, 0xAF, 0xB2,
            ]),
            vector: [UInt8](repeating: 0, count: 8)
        )
        #expect(rc2.prefix(8) == [0x22, 0x69, 0x55, 0x2A, 0xB0, 0xF8, 0x5C, 0xA6])
        // NIST SP 800-67's way with three times the same key, which is DES: FIPS 46's "Now is t".
        let key: [UInt8] = [0x01, 0x23, 0x45, 0x67, 0x89, 0xAB, 0xCD, 0xEF]
        let other: [UInt8] = [0x23, 0x45, 0x67, 0x89, 0xAB, 0xCD, 0xEF, 0x01]
        let third: [UInt8] = [0x45, 0x67, 0x89, 0xAB, 0xCD, 0xEF, 0x01, 0x23]
        let tripleDES = try BlockCipher.tripleDES.encrypt(
            SecretBytes("The qufck brown fox jump"),
            key: SymmetricKey(data: key + other + third),
            vector: [UInt8](repeating: 0, count: 8)
        )
        // The first block of SP 800-67's example, which is in ECB.
        #expect(tripleDES.prefix(8) == [0xA8, 0x26, 0xFD, 0x8C, 0xE5, 0x3B, 0x85, 0x5F])
    }

    @Test("Whatever is encrypted is decrypted", arguments: 0...24)
    func roundTrip(count: Int) throws {
        let plaintext = (0..<count).map { UInt8($0) }
        for cipher in [BlockCipher.aes(16), .aes(24), .aes(32), .tripleDES, .rc2With40Bits, .rc2With128Bits] {
            let key = SymmetricKey(data: (1...UInt8(cipher.keySize)).map { $0 &* 37 })
            let vector = PasswordEncryption.randomBytes(cipher.blockSize)
            let ciphertext = try cipher.encrypt(SecretBytes(plaintext), key: key, vector: vector)
            #expect(ciphertext.count == (count / cipher.blockSize + 1) * cipher.blockSize)
            #expect(try cipher.decrypt(ciphertext, key: key, vector: vector).array == plaintext)
        }
    }

    @Test("Bytes that are no whole blocks, and keys and vectors of another size, are refused")
    func sizes() throws {
        for cipher in [BlockCipher.aes(32), .tripleDES, .rc2With40Bits] {
            let key = SymmetricKey(data: (1...UInt8(cipher.keySize)).map { $0 })
            let vector = [UInt8](repeating: 0, count: cipher.blockSize)
            let attempts: [([UInt8], SymmetricKey, [UInt8])] = [
                ([], key, vector), ([1], key, vector), ([UInt8](repeating: 0, count: 17), key, vector),
                (vector, SymmetricKey(size: .init(bitCount: 64)), vector), (vector, key, vector + [0]),
                (vector, key, []),
            ]
            for (ciphertext, key, vector) in attempts {
                #expect(throws: KeychainError(.undecodable, "")) {
                    try cipher.decrypt(ciphertext, key: key, vector: vector)
                }
            }
        }
    }

    @Test("What is no padding is a wrong key", arguments: [[0], [9], [1, 2], [2, 3, 3], [0xFF]] as [[UInt8]])
    func padding(end: [UInt8]) throws {
        let block = [UInt8](repeating: 7, count: 8 - end.count) + end
        let key = SymmetricKey(data: (1...24).map { $0 })
        let zeros = [UInt8](repeating: 0, count: 8)
        // The padding that is added makes a second block.
        let ciphertext = try BlockCipher.tripleDES.encrypt(SecretBytes(block), key: key, vector: zeros)
        #expect(throws: KeychainError(.authenticationFailed, "")) {
            try BlockCipher.tripleDES.decrypt(Array(ciphertext.prefix(8)), key: key, vector: zeros)
        }
    }

    @Test("Without libgcrypt old ciphers are not there, and it is said why")
    func noLibrary() throws {
        let zeros = [UInt8](repeating: 0, count: 8)
        let key = SymmetricKey(data: (1...24).map { $0 })
        for library in ["libnothing.so.20", "libc.so.6"] {
            let error = #expect(throws: KeychainError(.unimplemented, "")) {
                try BlockCipher.tripleDES.decrypt(zeros, key: key, vector: zeros, library: library)
            }
            #expect(error?.message.contains(library) ?? false)
            #expect(throws: KeychainError(.unimplemented, "")) {
                try BlockCipher.tripleDES.encrypt(SecretBytes([1]), key: key, vector: zeros, library: library)
            }
        }
    }
}
