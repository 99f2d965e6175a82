import CommonCrypto
import Foundation
import Testing

struct KeyTests {
    @Test func `keys are derived as RFC 6070 says`() {
        func derive(_ password: String, _ salt: String, _ rounds: UInt32, _ length: Int) -> String {
            var key = [UInt8](repeating: 0, count: length)
            let status = CCKeyDerivationPBKDF(
                CCPBKDFAlgorithm(kCCPBKDF2),
                password,
                password.utf8.count,
                salt,
                salt.utf8.count,
                CCPseudoRandomAlgorithm(kCCPRFHmacAlgSHA1),
                rounds,
                &key,
                key.count
            )
            return status == kCCSuccess ? hexadecimal(key) : "\(status)"
        }
        #expect(derive("password", "salt", 1, 20) == "0c60c80f961f0e71f3a9b524af6012062fe037a6")
        #expect(derive("password", "salt", 4096, 20) == "4b007901b765489abead49d926f721d065a429c1")
        #expect(
            derive("passwordPASSWORDpassword", "saltSALTsaltSALTsaltSALTsaltSALTsalt", 4096, 25)
                == "3d2eec4fe41c849b80c8d83662c0e44a8b291a964cf2f07038"
        )
        #expect(derive("pass\0word", "sa\0lt", 4096, 16) == "56fa6aa75548099dcc37d7f03425e0c3")
        #expect(derive("password", "salt", 0, 20) == "\(kCCParamError)")
        #expect(derive("password", "salt", .max, 20) == "\(kCCParamError)")
        #expect(derive("password", "salt", 1, 0) == "\(kCCParamError)")
    }

    @Test func `a derivation without bytes to derive from or into is refused`() {
        var key = [UInt8](repeating: 0, count: 32)
        #expect(CCKeyDerivationPBKDF(2, nil, 1, "s", 1, 3, 1, &key, 32) == kCCParamError)
        #expect(CCKeyDerivationPBKDF(2, "p", 1, nil, 1, 3, 1, &key, 32) == kCCParamError)
        #expect(CCKeyDerivationPBKDF(2, "p", 1, "s", 1, 3, 1, nil, 32) == kCCParamError)
        #expect(CCKeyDerivationPBKDF(2, "p", 1, "s", 1, 9, 1, &key, 32) == kCCParamError)
        #expect(CCKeyDerivationPBKDF(1, "p", 1, "s", 1, 3, 1, &key, 32) == kCCParamError)
        #expect(CCKeyDerivationPBKDF(2, "p", .max, "s", 1, 3, 1, &key, 32) == kCCParamError)
        #expect(CCKeyDerivationPBKDF(2, nil, 0, nil, 0, 3, 1, &key, 32) == kCCSuccess)
    }

    @Test func `a calibration gives rounds that are no fewer than ten thousand, or that no derivation takes`() {
        #expect((10_000...UInt32(Int32.max)).contains(CCCalibratePBKDF(2, 8, 8, 3, 32, 100)))
        #expect(CCCalibratePBKDF(2, .max, 8, 3, 32, 100) == .max)
        #expect(CCCalibratePBKDF(2, 8, 8, 9, 32, 100) == .max)
        #expect(CCCalibratePBKDF(1, 8, 8, 3, 32, 100) == .max)
    }

    @Test func `keys are wrapped as RFC 3394 says, and a changed one is not unwrapped`() {
        // Sections 4.1 and 4.6.
        let vectors = [
            (
                "000102030405060708090a0b0c0d0e0f", "00112233445566778899aabbccddeeff",
                "1fa68b0a8112b447aef34bd8fb5a7b829d3e862371d2cfe5"
            ),
            (
                "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
                "00112233445566778899aabbccddeeff000102030405060708090a0b0c0d0e0f",
                "28c9f404c4b810f4cbccb35cfb87f8263f5786e2d80ed326cbc7f0e71a99f43bfb988b9b7a02dd21"
            ),
        ]
        for (kek, key, expected) in vectors.map({ (bytes($0), bytes($1), bytes($2)) }) {
            var wrapped = [UInt8](repeating: 0, count: CCSymmetricWrappedSize(1, key.count))
            var length = wrapped.count - 1
            func wrap() -> Int32 {
                CCSymmetricKeyWrap(
                    CCWrappingAlgorithm(kCCWRAPAES),
                    CCrfc3394_iv,
                    CCrfc3394_ivLen,
                    kek,
                    kek.count,
                    key,
                    key.count,
                    &wrapped,
                    &length
                )
            }
            #expect(wrap() == kCCBufferTooSmall && length == expected.count)
            #expect(wrap() == kCCSuccess && length == expected.count)
            #expect(wrapped == expected)
            var unwrapped = [UInt8](repeating: 0, count: CCSymmetricUnwrappedSize(1, wrapped.count))
            func unwrap() -> Int32 {
                length = unwrapped.count
                return CCSymmetricKeyUnwrap(
                    1,
                    CCrfc3394_iv,
                    CCrfc3394_ivLen,
                    kek,
                    kek.count,
                    wrapped,
                    wrapped.count,
                    &unwrapped,
                    &length
                )
            }
            #expect(unwrap() == kCCSuccess && unwrapped == key)
            wrapped[3] ^= 1
            #expect(unwrap() == kCCDecodeError && length == 0)
            #expect(CCSymmetricKeyWrap(1, nil, 8, kek, kek.count, key, 16, &wrapped, &length) == kCCParamError)
            #expect(CCSymmetricKeyWrap(1, CCrfc3394_iv, 8, kek, 5, key, 16, &wrapped, &length) == kCCKeySizeError)
            #expect(CCSymmetricKeyWrap(1, CCrfc3394_iv, 8, kek, 16, key, 15, &wrapped, &length) == kCCParamError)
        }
    }

    @Test func `random bytes come, and a missing place for them is refused`() {
        var one = [UInt8](repeating: 0, count: 32)
        var other = one
        #expect(CCRandomGenerateBytes(&one, 32) == kCCSuccess)
        #expect(CCRandomGenerateBytes(&other, 32) == kCCSuccess)
        #expect(one != other)
        #expect(CCRandomGenerateBytes(nil, 0) == kCCSuccess)
        #expect(CCRandomGenerateBytes(nil, 1) == kCCParamError)
    }
}
