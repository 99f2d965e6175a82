import CommonCrypto
import Crypto
import Foundation
import Testing

struct DigestTests {
    @Test func `the digests of abc are those of the standards`() {
        // FIPS 180-4's examples; RFC 1321, appendix A.5; RFC 1320, appendix A.5.
        let abc = Data("abc".utf8)
        func digest(
            _ length: Int32,
            _ function: (UnsafeRawPointer?, CC_LONG, UnsafeMutablePointer<UInt8>?) ->
                UnsafeMutablePointer<UInt8>?
        ) -> String {
            var md = [UInt8](repeating: 0, count: Int(length))
            let result = abc.withUnsafeBytes { function($0.baseAddress, CC_LONG(abc.count), &md) }
            return result == nil ? "none" : hexadecimal(md)
        }
        #expect(digest(CC_MD4_DIGEST_LENGTH, CC_MD4) == "a448017aaf21d8525fc10ae87aa6729d")
        #expect(digest(CC_MD5_DIGEST_LENGTH, CC_MD5) == "900150983cd24fb0d6963f7d28e17f72")
        #expect(digest(CC_SHA1_DIGEST_LENGTH, CC_SHA1) == "a9993e364706816aba3e25717850c26c9cd0d89d")
        #expect(
            digest(CC_SHA224_DIGEST_LENGTH, CC_SHA224) == "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7"
        )
        #expect(
            digest(CC_SHA256_DIGEST_LENGTH, CC_SHA256)
                == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        )
        #expect(
            digest(CC_SHA384_DIGEST_LENGTH, CC_SHA384)
                == "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed"
                + "8086072ba1e7cc2358baeca134c825a7"
        )
        #expect(
            digest(CC_SHA512_DIGEST_LENGTH, CC_SHA512)
                == "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
                + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
        )
    }

    @Test func `MD2 fails, and what it writes equals nothing`() {
        var digests: Set<[UInt8]> = [[UInt8](repeating: 0, count: 16)]
        for _ in 0..<2 {
            var md = [UInt8](repeating: 0, count: Int(CC_MD2_DIGEST_LENGTH))
            #expect(CC_MD2("abc", 3, &md) == nil)
            digests.insert(md)
            var context = CC_MD2_CTX()
            #expect(CC_MD2_Init(&context) == 0)
            #expect(CC_MD2_Update(&context, "abc", 3) == 0)
            md = [UInt8](repeating: 0, count: 16)
            #expect(CC_MD2_Final(&md, &context) == 0)
            digests.insert(md)
        }
        #expect(digests.count == 5)
        #expect(CC_MD2("abc", 3, nil) == nil)
        #expect(CC_MD2_Init(nil) == 0 && CC_MD2_Final(nil, nil) == 0)
    }

    @Test func `data in pieces of any length has the digest that swift-crypto computes`() {
        for length in [0, 1, 55, 56, 63, 64, 65, 111, 112, 127, 128, 129, 1000] {
            let data = (0..<length).map { _ in UInt8.random(in: 0...255) }
            let cut = Int.random(in: 0...length)
            var small = CC_SHA256_CTX()
            var large = CC_SHA512_CTX()
            #expect(CC_SHA256_Init(&small) == 1)
            #expect(CC_SHA512_Init(&large) == 1)
            for piece in [data[..<cut], data[cut...]].map(Array.init) {
                #expect(CC_SHA256_Update(&small, piece, CC_LONG(piece.count)) == 1)
                #expect(CC_SHA512_Update(&large, piece, CC_LONG(piece.count)) == 1)
            }
            var shorter = [UInt8](repeating: 0, count: 32)
            var longer = [UInt8](repeating: 0, count: 64)
            #expect(CC_SHA256_Final(&shorter, &small) == 1)
            #expect(CC_SHA512_Final(&longer, &large) == 1)
            #expect(shorter == Array(SHA256.hash(data: data)))
            #expect(longer == Array(SHA512.hash(data: data)))
        }
    }

    @Test func `a copy of a context goes its own way`() {
        var context = CC_SHA256_CTX()
        CC_SHA256_Init(&context)
        CC_SHA256_Update(&context, "a", 1)
        var copy = context
        CC_SHA256_Update(&context, "b", 1)
        CC_SHA256_Update(&copy, "c", 1)
        var one = [UInt8](repeating: 0, count: 32)
        var other = one
        CC_SHA256_Final(&one, &context)
        CC_SHA256_Final(&other, &copy)
        #expect(one == Array(SHA256.hash(data: Data("ab".utf8))))
        #expect(other == Array(SHA256.hash(data: Data("ac".utf8))))
    }

    @Test func `what is not set up, or not there, is refused`() {
        var context = CC_SHA256_CTX()
        var md = [UInt8](repeating: 0, count: 32)
        #expect(CC_SHA256_Update(&context, "a", 1) == 0)
        #expect(CC_SHA256_Final(&md, &context) == 0)
        #expect(md != [UInt8](repeating: 0, count: 32), "a failed digest equals nothing")
        #expect(CC_SHA256_Init(nil) == 0)
        #expect(CC_SHA256_Init(&context) == 1)
        #expect(CC_SHA224_Update(&context, "a", 1) == 0)
        #expect(CC_SHA256_Update(&context, nil, 1) == 0)
        #expect(CC_SHA256_Update(&context, nil, 0) == 1)
        #expect(CC_SHA256_Final(nil, &context) == 0)
        #expect(CC_SHA256(nil, 1, &md) == nil)
        #expect(CC_SHA256("a", 1, nil) == nil)
        #expect(CC_SHA256(nil, 0, &md) != nil)
        #expect(md == Array(SHA256.hash(data: Data())))
    }
}
