import CommonCrypto
import Crypto
import Foundation
import Testing

struct HMACTests {
    @Test func `test cases of RFC 4231 and RFC 2202`() {
        func mac(_ algorithm: Int, _ length: Int32, _ key: [UInt8], _ data: String) -> String {
            var mac = [UInt8](repeating: 0, count: Int(length))
            CCHmac(CCHmacAlgorithm(algorithm), key, key.count, data, data.utf8.count, &mac)
            return hexadecimal(mac)
        }
        let jefe = Array("Jefe".utf8)
        let question = "what do ya want for nothing?"
        #expect(mac(kCCHmacAlgMD5, 16, jefe, question) == "750c783e6ab0b503eaa86e310a5db738")
        #expect(mac(kCCHmacAlgSHA1, 20, jefe, question) == "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79")
        #expect(mac(kCCHmacAlgSHA224, 28, jefe, question) == "a30e01098bc6dbbf45690f3a7e9e6d0f8bbea2a39e6148008fd05e44")
        #expect(
            mac(kCCHmacAlgSHA256, 32, jefe, question)
                == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        )
        let long = [UInt8](repeating: 0xaa, count: 131)
        #expect(
            mac(kCCHmacAlgSHA256, 32, long, "Test Using Larger Than Block-Size Key - Hash Key First")
                == "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        )
    }

    @Test(arguments: [0, 1, 64, 65, 127, 128, 129, 300])
    func `data in pieces has the MAC that swift-crypto computes`(keyLength: Int) {
        let key = (0..<keyLength).map { _ in UInt8.random(in: 0...255) }
        let data = (0..<500).map { _ in UInt8.random(in: 0...255) }
        var context = CCHmacContext()
        CCHmacInit(&context, CCHmacAlgorithm(kCCHmacAlgSHA512), key, key.count)
        CCHmacUpdate(&context, data, 200)
        var copy = context
        CCHmacUpdate(&context, Array(data[200...]), 300)
        var mac = [UInt8](repeating: 0, count: 64)
        var ofStart = mac
        CCHmacFinal(&context, &mac)
        CCHmacFinal(&copy, &ofStart)
        #expect(mac == Array(HMAC<SHA512>.authenticationCode(for: data, using: SymmetricKey(data: key))))
        #expect(ofStart == Array(HMAC<SHA512>.authenticationCode(for: data[..<200], using: SymmetricKey(data: key))))
    }

    @Test func `a MAC of data that is missing equals nothing`() {
        var one = [UInt8](repeating: 0, count: 32)
        var other = one
        CCHmac(CCHmacAlgorithm(kCCHmacAlgSHA256), "key", 3, nil, 5, &one)
        CCHmac(CCHmacAlgorithm(kCCHmacAlgSHA256), "key", 3, nil, 5, &other)
        #expect(one != other)
        CCHmac(99, "key", 3, "data", 4, &one)
        CCHmacInit(nil, 0, nil, 0)
        CCHmacUpdate(nil, nil, 5)
        CCHmacFinal(nil, nil)
    }
}
