import CommonCrypto
import Foundation
import Testing

struct CryptorTests {
    /// What SP 800-38A, appendix F, encrypts, and its key of 128 bits.
    static let text = bytes("6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51")
    static let key = bytes("2b7e151628aed2a6abf7158809cf4f3c")
    static let vector = Array(UInt8(0)...15)

    /// Encrypts or decrypts in two pieces.
    func stream(_ operation: Int, _ mode: Int, iv: [UInt8]?, _ input: [UInt8], cut: Int, padding: Int = 0) -> [UInt8]? {
        var cryptor: CCCryptorRef?
        guard
            CCCryptorCreateWithMode(
                CCOperation(operation),
                CCMode(mode),
                CCAlgorithm(kCCAlgorithmAES),
                CCPadding(padding),
                iv,
                Self.key,
                Self.key.count,
                nil,
                0,
                0,
                0,
                &cryptor
            ) == kCCSuccess
        else { return nil }
        defer { CCCryptorRelease(cryptor) }
        var output: [UInt8] = []
        for piece in [input[..<cut], input[cut...]].map(Array.init) {
            var part = [UInt8](repeating: 0, count: CCCryptorGetOutputLength(cryptor, piece.count, false))
            var moved = 0
            guard CCCryptorUpdate(cryptor, piece, piece.count, &part, part.count, &moved) == kCCSuccess else {
                return nil
            }
            output += part[..<moved]
        }
        var end = [UInt8](repeating: 0, count: 16)
        var moved = 0
        guard CCCryptorFinal(cryptor, &end, end.count, &moved) == kCCSuccess else { return nil }
        return output + end[..<moved]
    }

    @Test(arguments: [0, 1, 15, 16, 17, 32])
    func `every mode gives what SP 800-38A prints, however the text is cut`(cut: Int) {
        let counter = bytes("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff")
        let expected: [(Int, [UInt8]?, String)] = [
            (kCCModeECB, nil, "3ad77bb40d7a3660a89ecaf32466ef97f5d3d58503b9699de785895a96fdbaaf"),
            (kCCModeCBC, Self.vector, "7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b2"),
            (kCCModeCFB, Self.vector, "3b3fd92eb72dad20333449f8e83cfb4ac8a64537a0b3a93fcde3cdad9f1ce58b"),
            (kCCModeOFB, Self.vector, "3b3fd92eb72dad20333449f8e83cfb4a7789508d16918f03f53c52dac54ed825"),
            (kCCModeCTR, counter, "874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff"),
        ]
        for (mode, iv, ciphertext) in expected {
            #expect(stream(kCCEncrypt, mode, iv: iv, Self.text, cut: cut).map(hexadecimal) == ciphertext)
            #expect(stream(kCCDecrypt, mode, iv: iv, bytes(ciphertext), cut: cut) == Self.text)
        }
    }

    func crypt(
        _ operation: Int,
        _ input: [UInt8],
        key: [UInt8] = CryptorTests.key,
        algorithm: Int = kCCAlgorithmAES,
        options: Int = kCCOptionPKCS7Padding,
        room: Int
    ) -> (status: Int, moved: Int, output: [UInt8]) {
        var output = [UInt8](repeating: 0, count: room)
        var moved = 0
        let status = CCCrypt(
            CCOperation(operation),
            CCAlgorithm(algorithm),
            CCOptions(options),
            key,
            key.count,
            Self.vector,
            input,
            input.count,
            &output,
            room,
            &moved
        )
        return (Int(status), moved, Array(output.prefix(moved)))
    }

    @Test(arguments: [
        (kCCAlgorithmAES, 16, 16), (kCCAlgorithmAES, 24, 16), (kCCAlgorithmAES, 32, 16), (kCCAlgorithm3DES, 24, 8),
        (kCCAlgorithmDES, 8, 8),
    ])
    func `what is padded and encrypted comes back, for every length`(algorithm: Int, keyLength: Int, block: Int) {
        let key = (0..<keyLength).map { _ in UInt8.random(in: 0...255) }
        for length in 0...50 {
            let input = (0..<length).map { _ in UInt8.random(in: 0...255) }
            let sealed = crypt(kCCEncrypt, input, key: key, algorithm: algorithm, room: length + block)
            #expect(sealed.status == kCCSuccess)
            #expect(sealed.moved == (length / block + 1) * block)
            // Room for the text and not one byte more.
            let opened = crypt(kCCDecrypt, sealed.output, key: key, algorithm: algorithm, room: length)
            #expect(opened.status == kCCSuccess)
            #expect(opened.output == input)
        }
    }

    @Test func `DES gives a published ciphertext, and is triple DES with one key thrice`() {
        // J. Orlin Grabbe, "The DES Algorithm Illustrated".
        let key = bytes("133457799bbcdff1")
        let plain = bytes("0123456789abcdef")
        let sealed = crypt(
            kCCEncrypt,
            plain,
            key: key,
            algorithm: kCCAlgorithmDES,
            options: kCCOptionECBMode,
            room: 8
        )
        #expect(sealed.status == kCCSuccess && hexadecimal(sealed.output) == "85e813540f0ab405")
        let thrice = crypt(
            kCCEncrypt,
            Self.text,
            key: key + key + key,
            algorithm: kCCAlgorithm3DES,
            room: 64
        )
        #expect(crypt(kCCEncrypt, Self.text, key: key, algorithm: kCCAlgorithmDES, room: 64).output == thrice.output)
        for wrong in [[], Array(key.dropLast()), key + key, key + key + key] {
            let answer = crypt(kCCEncrypt, plain, key: wrong, algorithm: kCCAlgorithmDES, room: 64)
            #expect(answer.status == kCCKeySizeError)
        }
    }

    @Test func `the ciphers that are missing have their sizes`() {
        #expect(kCCKeySizeMinCAST == 5 && kCCKeySizeMaxCAST == 16 && kCCBlockSizeCAST == 8)
        #expect(kCCKeySizeMinRC2 == 1 && kCCKeySizeMaxRC2 == 128 && kCCBlockSizeRC2 == 8)
        #expect(kCCKeySizeMinBlowfish == 8 && kCCKeySizeMaxBlowfish == 56 && kCCBlockSizeBlowfish == 8)
        #expect(kCCKeySizeMinRC4 == 1 && kCCKeySizeMaxRC4 == 512)
        for algorithm in [kCCAlgorithmCAST, kCCAlgorithmRC2, kCCAlgorithmBlowfish] {
            #expect(crypt(kCCEncrypt, Self.text, algorithm: algorithm, room: 64).status == kCCUnimplemented)
        }
    }

    @Test func `what does not fit is told its size`() {
        let short = crypt(kCCEncrypt, Self.text, room: 47)
        #expect(short.status == kCCBufferTooSmall && short.moved == 48)
        let sealed = crypt(kCCEncrypt, Array(Self.text[..<30]), room: 32).output
        let tooShort = crypt(kCCDecrypt, sealed, room: 29)
        #expect(tooShort.status == kCCBufferTooSmall && tooShort.moved == 30)
    }

    @Test func `errors are those that are documented`() {
        let text = Self.text
        #expect(crypt(kCCEncrypt, Array(text[..<31]), options: 0, room: 64).status == kCCAlignmentError)
        #expect(crypt(kCCDecrypt, Array(text[..<31]), room: 64).status == kCCAlignmentError)
        #expect(crypt(kCCDecrypt, bytes(String(repeating: "00", count: 16)), room: 64).status == kCCDecodeError)
        #expect(crypt(kCCEncrypt, text, key: [1, 2, 3], room: 64).status == kCCKeySizeError)
        #expect(crypt(kCCEncrypt, text, algorithm: kCCAlgorithmBlowfish, room: 64).status == kCCUnimplemented)
        #expect(crypt(kCCEncrypt, text, algorithm: 7, room: 64).status == kCCParamError)
        #expect(crypt(kCCEncrypt, text, options: 64, room: 64).status == kCCParamError)
        #expect(crypt(2, text, room: 64).status == kCCParamError)
        var moved = 0
        #expect(CCCrypt(0, 0, 1, nil, 16, nil, text, 32, nil, 0, &moved) == kCCParamError)
        #expect(CCCrypt(0, 0, 1, Self.key, 16, nil, nil, 32, nil, 64, nil) == kCCParamError)
        #expect(CCCrypt(0, 0, 1, Self.key, 16, nil, nil, .max, nil, 0, &moved) == kCCParamError)
        #expect(CCCrypt(0, 0, 1, Self.key, 16, nil, nil, 0, nil, 0, &moved) == kCCBufferTooSmall)
        #expect(moved == 16)
        #expect(CCCryptorCreate(0, 0, 0, Self.key, 16, nil, nil) == kCCParamError)
        #expect(CCCryptorRelease(nil) == kCCParamError)
        #expect(CCCryptorReset(nil, nil) == kCCParamError)
        #expect(CCCryptorUpdate(nil, nil, 0, nil, 0, nil) == kCCParamError)
        #expect(CCCryptorFinal(nil, nil, 0, nil) == kCCParamError)
        #expect(CCCryptorGetOutputLength(nil, .max, true) == 0)
    }

    @Test func `after its end a cryptor begins anew by a reset only`() {
        var cryptor: CCCryptorRef?
        #expect(CCCryptorCreate(0, 0, 1, Self.key, 16, Self.vector, &cryptor) == kCCSuccess)
        defer { CCCryptorRelease(cryptor) }
        var first = [UInt8](repeating: 0, count: 48)
        var second = first
        var moved = 0
        for round in 0..<2 {
            var output = [UInt8](repeating: 0, count: 48)
            #expect(CCCryptorUpdate(cryptor, Self.text, 32, &output, 48, &moved) == kCCSuccess && moved == 32)
            var end = [UInt8](repeating: 0, count: 16)
            #expect(CCCryptorFinal(cryptor, &end, 3, &moved) == kCCBufferTooSmall && moved == 16)
            #expect(CCCryptorFinal(cryptor, &end, 16, &moved) == kCCSuccess && moved == 16)
            output.replaceSubrange(32..., with: end)
            if round == 0 { first = output } else { second = output }
            #expect(CCCryptorUpdate(cryptor, Self.text, 32, &output, 48, nil) == kCCCallSequenceError)
            #expect(CCCryptorReset(cryptor, Self.vector) == kCCSuccess)
        }
        #expect(first == second)
        #expect(first == crypt(kCCEncrypt, Self.text, room: 48).output)
    }

    @Test func `input and output can be the same buffer`() {
        var buffer = Self.text + [UInt8](repeating: 0, count: 16)
        var moved = 0
        let status = buffer.withUnsafeMutableBytes {
            CCCrypt(0, 0, 1, Self.key, 16, Self.vector, $0.baseAddress, 32, $0.baseAddress, 48, &moved)
        }
        #expect(status == kCCSuccess)
        #expect(buffer == crypt(kCCEncrypt, Self.text, room: 48).output)
    }
}
