import Foundation
import KeychainExchange
import KeychainModel
import KeychainTestSupport
import Testing

/// What somebody sends who means no good, or whose disk is bad.
@Suite struct HostilePKCS12Tests {
    private static let key = SecretBytes(privateKeyLike)

    private static func small(_ protection: PKCS12Protection = .current(iterations: 1)) throws -> [UInt8] {
        try PKCS12Contents(
            keys: [.init(privateKey: key, friendlyName: "A", localKeyID: [1])],
            certificates: [.init(der: [0x30, 0x00], friendlyName: "A", localKeyID: [1])]
        ).encoded(password: SecretBytes("secret"), protection: protection)
    }

    private static func isUnchanged(_ contents: PKCS12Contents) -> Bool {
        contents.keys.map(\.privateKey.array) == [privateKeyLike] && contents.certificates.map(\.der) == [[0x30, 0x00]]
            && contents.keys.map(\.friendlyName) == ["A"] && contents.certificates.map(\.friendlyName) == ["A"]
            && contents.keys.map(\.localKeyID) == [[1]] && contents.certificates.map(\.localKeyID) == [[1]]
    }

    @Test(
        "Whichever byte is altered, a file is refused or says the same",
        arguments: [PKCS12Protection.current(iterations: 1), .legacy(iterations: 1)]
    )
    func alteredBytes(protection: PKCS12Protection) throws {
        let bytes = try Self.small(protection)
        var limits = ExchangeLimits()
        limits.iterations = 1000
        var refused = 0
        for index in bytes.indices {
            for bit in 0..<8 {
                var altered = bytes
                altered[index] ^= 1 << bit
                guard
                    let contents = try? PKCS12Contents(
                        reading: altered,
                        password: SecretBytes("secret"),
                        limits: limits
                    )
                else {
                    refused += 1
                    continue
                }
                #expect(Self.isUnchanged(contents), "byte \(index), bit \(bit)")
            }
        }
        // Nothing but what SHA-256's parameters are, which say nothing.
        #expect(refused > bytes.count * 8 - 64)
    }

    @Test("A file that ends anywhere before its end is refused, and one with anything behind it")
    func truncated() throws {
        let bytes = try Self.small()
        for count in bytes.indices {
            #expect(throws: KeychainError(.undecodable, "")) {
                try PKCS12Contents(reading: Array(bytes.prefix(count)), password: SecretBytes("secret"))
            }
        }
        #expect(throws: KeychainError(.undecodable, "")) {
            try PKCS12Contents(reading: bytes + [0], password: SecretBytes("secret"))
        }
        #expect(Self.isUnchanged(try PKCS12Contents(reading: bytes, password: SecretBytes("secret"))))
    }

    @Test(
        "A file that asks for too many iterations is refused before the first",
        arguments: [[0x00, 0x98, 0x96, 0x81], [0x7F, 0xFF, 0xFF, 0xFF], [UInt8](repeating: 0x7F, count: 100), [0x00]]
    )
    func manyIterations(number: [UInt8]) throws {
        var file = CraftedPKCS12()
        file.code = CraftedPKCS12.code(iterations: number)
        // 10,000,001 iterations and more; one of no iteration. A MAC that is tried gives another error.
        #expect(throws: KeychainError(.undecodable, "")) { try file.read() }
        file.code = CraftedPKCS12.code(iterations: [1])
        #expect(throws: KeychainError(.authenticationFailed, "")) { try file.read() }
    }

    @Test("Many keys that each ask for a little too much are refused together")
    func totalIterations() throws {
        var limits = ExchangeLimits()
        limits.totalIterations = 400
        let key = PKCS12Contents.Key(privateKey: Self.key)
        func read(_ count: Int) throws {
            let contents = PKCS12Contents(keys: Array(repeating: key, count: count))
            let bytes = try contents.encoded(password: SecretBytes("secret"), protection: .current(iterations: 100))
            _ = try PKCS12Contents(reading: bytes, password: SecretBytes("secret"), limits: limits)
        }
        // The MAC costs a hundred as well.
        try read(3)
        #expect(throws: KeychainError(.undecodable, "")) { try read(4) }
    }

    @Test("Iterations, salts and codes of no sense are refused")
    func senselessCodes() throws {
        for code in [
            CraftedPKCS12.code(iterations: [0xFF]), CraftedPKCS12.code(iterations: []),
            CraftedPKCS12.code(iterations: [1], salt: []),
            CraftedPKCS12.code(iterations: [1], salt: [UInt8](repeating: 1, count: 1025)),
            CraftedPKCS12.code(iterations: [1], size: 31), CraftedPKCS12.code(iterations: [1], size: 0),
            der(0x30, []), [0x05, 0x00],
        ] {
            var file = CraftedPKCS12()
            file.code = code
            #expect(throws: KeychainError(.undecodable, "")) { try file.read() }
        }
    }

    @Test(
        "The key of PBMAC1 has the size that RFC 9579 has, and the file says so",
        arguments: [nil, 0, 19, 20, 1024, 1025]
    )
    func pbmac1(size: Int?) throws {
        let pbkdf2: [UInt8] = [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x05, 0x0C]
        let pbmac1: [UInt8] = [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x05, 0x0E]
        let hmac = der(0x30, [0x06, 0x08, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x02, 0x09, 0x05, 0x00])
        let number = size.map { der(0x02, [UInt8($0 >> 8), UInt8($0 & 0xFF)]) } ?? []
        let derivation = der(0x30, pbkdf2 + der(0x30, der(0x04, [1]) + der(0x02, [1]) + number + hmac))
        let algorithm = der(0x30, pbmac1 + der(0x30, derivation + hmac))
        var file = CraftedPKCS12()
        file.code = der(
            0x30,
            der(0x30, algorithm + der(0x04, [UInt8](repeating: 0, count: 32))) + der(0x04, [1]) + der(0x02, [1])
        )
        let isAllowed = size.map { (20...1024).contains($0) } ?? false
        // One that is allowed is tried.
        #expect(throws: KeychainError(isAllowed ? .authenticationFailed : .undecodable, "")) { try file.read() }
    }

    @Test("Nothing is decrypted before the MAC was found right")
    func codeComesFirst() throws {
        var file = CraftedPKCS12()
        // What would be found when the safes are read.
        file.safes = [[0x05, 0x00]]
        #expect(throws: KeychainError(.undecodable, "")) { try file.read() }
        file.code = CraftedPKCS12.code(iterations: [1])
        #expect(throws: KeychainError(.authenticationFailed, "")) { try file.read() }
    }

    @Test("Folders in folders are read as far as anybody would put them, and no further")
    func nestedFolders() throws {
        func file(_ depth: Int) -> CraftedPKCS12 {
            var bags = CraftedPKCS12.certificateBag([0x30, 0x00])
            for _ in 1..<depth { bags = CraftedPKCS12.bag(6, der(0x30, bags)) }
            var file = CraftedPKCS12()
            file.safes = [CraftedPKCS12.safe([bags])]
            return file
        }
        #expect(try file(8).read().certificates.count == 1)
        #expect(throws: KeychainError(.dataTooLarge, "")) { try file(9).read() }
    }

    @Test("Elements that lie in each other without an end are refused")
    func deepElements() throws {
        for tag in [0x30, 0x24] as [UInt8] {
            var deep: [UInt8] = []
            for _ in 0..<2000 { deep = der(tag, deep) }
            let endless = (0..<1_000_000).map { $0.isMultiple(of: 2) ? tag : 0x80 }
            for bytes in [deep, endless] {
                #expect(throws: KeychainError.self) {
                    try PKCS12Contents(reading: bytes, password: SecretBytes("secret"))
                }
                var file = CraftedPKCS12()
                file.safes = [bytes]
                #expect(throws: KeychainError.self) { try file.read() }
            }
        }
    }

    @Test("A file of very many elements is refused, and one of very many bags")
    func manyElements() throws {
        var file = CraftedPKCS12()
        file.safes = [CraftedPKCS12.content(CraftedPKCS12.data, der(0x30, [UInt8](repeating: 5, count: 2)))]
        let empty: [UInt8] = [0x05, 0x00]
        let elements = der(0x30, Array(repeating: empty, count: 300_000).flatMap { $0 })
        #expect(throws: KeychainError(.dataTooLarge, "")) {
            try PKCS12Contents(reading: elements, password: SecretBytes("secret"))
        }
        file.safes = [CraftedPKCS12.content(CraftedPKCS12.data, der(0x04, elements))]
        #expect(throws: KeychainError(.dataTooLarge, "")) { try file.read() }
        #expect(throws: KeychainError(.dataTooLarge, "")) {
            // One element, which says of itself how long it is.
            try PKCS12Contents(reading: der(0x04, [UInt8](repeating: 0, count: 10 << 20 + 1)), password: nil)
        }

        var limits = ExchangeLimits()
        limits.bags = 4
        let bag = CraftedPKCS12.certificateBag([0x30, 0x00])
        file.safes = [CraftedPKCS12.safe([bag, bag, bag])]
        #expect(try file.read(limits).certificates.count == 3)
        file.safes = [CraftedPKCS12.safe([bag, bag]), CraftedPKCS12.safe([bag])]
        #expect(throws: KeychainError(.dataTooLarge, "")) { try file.read(limits) }
    }

    @Test("Keys that are not encrypted are read, if they are keys")
    func plainKeys() throws {
        var file = CraftedPKCS12()
        file.safes = [CraftedPKCS12.safe([CraftedPKCS12.bag(1, privateKeyLike)])]
        #expect(try file.read().keys.map(\.privateKey.array) == [privateKeyLike])
        file.safes = [CraftedPKCS12.safe([CraftedPKCS12.bag(1, der(0x30, der(0x02, [0])))])]
        #expect(throws: KeychainError(.undecodable, "")) { try file.read() }
    }

    @Test("Of an attribute that is there twice the first counts, and what is no text is no name")
    func attributes() throws {
        let name = CraftedPKCS12.attribute(20, der(0x1E, [0x00, 0x41]) + der(0x1E, [0x00, 0x42]))
        let other = CraftedPKCS12.attribute(20, der(0x1E, [0x00, 0x43]))
        let odd = CraftedPKCS12.attribute(20, der(0x1E, [0x00]))
        let half = CraftedPKCS12.attribute(20, der(0x1E, [0xD8, 0x00]))
        let id = CraftedPKCS12.attribute(21, der(0x04, [1]))
        let otherID = CraftedPKCS12.attribute(21, der(0x04, [2]))
        // An identifier whose numbers fit nowhere.
        let strange = der(0x30, der(0x06, [UInt8](repeating: 0xFF, count: 100) + [0x7F]) + der(0x31, []))
        var file = CraftedPKCS12()
        file.safes = [
            CraftedPKCS12.safe([
                CraftedPKCS12.certificateBag([1], attributes: der(0x31, strange + name + other + id + otherID)),
                CraftedPKCS12.certificateBag([2], attributes: der(0x31, odd)),
                CraftedPKCS12.certificateBag([3], attributes: der(0x31, half)),
                // A list of revoked certificates, and what does not exist.
                CraftedPKCS12.bag(4, [0x05, 0x00]), CraftedPKCS12.bag(99, [0x05, 0x00]),
            ])
        ]
        let certificates = try file.read().certificates
        #expect(certificates.map(\.friendlyName) == ["A", nil, nil])
        #expect(certificates.map(\.localKeyID) == [[1], nil, nil])
        for wrong in [der(0x31, [0x05, 0x00]), [0x05, 0x00], der(0x31, CraftedPKCS12.attribute(21, [0x05, 0x00]))] {
            file.safes = [CraftedPKCS12.safe([CraftedPKCS12.certificateBag([1], attributes: wrong)])]
            #expect(throws: KeychainError(.undecodable, "")) { try file.read() }
        }
    }

    @Test("The same certificate twice is there twice")
    func duplicates() throws {
        let contents = PKCS12Contents(
            keys: [.init(privateKey: Self.key, localKeyID: [1]), .init(privateKey: Self.key, localKeyID: [1])],
            certificates: [.init(der: [0x30, 0x00], localKeyID: [1]), .init(der: [0x30, 0x00], localKeyID: [1])]
        )
        let bytes = try contents.encoded(password: SecretBytes("secret"), protection: .current(iterations: 1))
        let read = try PKCS12Contents(reading: bytes, password: SecretBytes("secret"))
        #expect(read.keys.count == 2 && read.certificates.count == 2)
        #expect(read.pairs().map(\.certificate) == [0, 0])
    }

    @Test("A file of another version, signed by a key, or of another kind is refused")
    func otherFiles() throws {
        var file = CraftedPKCS12()
        file.version = [2]
        #expect(throws: KeychainError(.undecodable, "")) { try file.read() }
        file = CraftedPKCS12()
        file.trailer = [0x05, 0x00]
        #expect(throws: KeychainError(.undecodable, "")) { try file.read() }
        let signed = CraftedPKCS12.content(Array(CraftedPKCS12.data.dropLast()) + [2], der(0x30, []))
        #expect(throws: KeychainError(.unimplemented, "")) {
            try PKCS12Contents(reading: der(0x30, der(0x02, [3]) + signed), password: nil)
        }
        for bytes in [
            [], [0x30], [0x30, 0x80], [0x00, 0x00], Array("-----BEGIN CERTIFICATE-----".utf8), privateKeyLike,
        ] {
            #expect(throws: KeychainError(.undecodable, "")) { try PKCS12Contents(reading: bytes, password: nil) }
        }
    }

    @Test("The same file in BER of lengths that are not said, and of strings in pieces, says the same")
    func berLengths() throws {
        for protection in [PKCS12Protection.current(iterations: 1), .legacy(iterations: 1)] {
            let bytes = indefinite(try Self.small(protection))
            #expect(bytes.starts(with: [0x30, 0x80]))
            #expect(Self.isUnchanged(try PKCS12Contents(reading: bytes, password: SecretBytes("secret"))))
            for count in stride(from: 0, to: bytes.count, by: 3) {
                #expect(throws: KeychainError(.undecodable, "")) {
                    try PKCS12Contents(reading: Array(bytes.prefix(count)), password: SecretBytes("secret"))
                }
            }
        }
        // Within what is authenticated, too.
        var file = CraftedPKCS12()
        let safe = CraftedPKCS12.safe([
            CraftedPKCS12.bag(1, privateKeyLike), CraftedPKCS12.certificateBag([0x30, 0x00]),
        ])
        file.safes = [indefinite(safe)]
        #expect(try file.read().certificates.map(\.der) == [[0x30, 0x00]])
    }
}
