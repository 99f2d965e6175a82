import Foundation
import Security
import SwiftASN1
import Testing

@Suite("The issuer of a certificate, as an attribute")
struct CertificateIssuerTests {
    /// The content of the name, without the two bytes of tag and length.
    private func content(of name: TestName) throws -> Data { try Data(name.der.dropFirst(2)) }

    @Test(arguments: Transport.allCases)
    func `a name and its normalised content are the same issuer`(transport: Transport) throws {
        let name = TestName("My  CA ")
        let canonical = try content(of: TestName("MY CA", type: .printableString))
        try withKeychain(transport) {
            for stored in [try name.der, canonical] {
                delete(certificates())
                #expect(add(certificates([kSecAttrIssuer: stored])) == errSecSuccess)
                #expect(find(certificates([kSecAttrIssuer: try name.der])).status == errSecSuccess)
                #expect(find(certificates([kSecAttrIssuer: canonical])).status == errSecSuccess)
                try #expect(attributes(of: certificates())["issr"] as? Data == canonical)
                #expect(add(certificates([kSecAttrIssuer: try name.der])) == errSecDuplicateItem)
                #expect(find(certificates([kSecAttrIssuer: try TestName("MyCA").der])).status == errSecItemNotFound)
            }
        }
    }

    @Test(arguments: Transport.allCases)
    func `update and delete find an issuer by its name too, and update stores it normalised`(
        transport: Transport
    ) throws {
        let old = try TestName("Old CA").der
        let new = try TestName("New CA").der
        try withKeychain(transport) {
            add(certificates([kSecAttrIssuer: old]))
            #expect(update(certificates([kSecAttrIssuer: old]), [kSecAttrIssuer: new]) == errSecSuccess)
            let canonical = try content(of: TestName("NEW CA", type: .printableString))
            try #expect(attributes(of: certificates())["issr"] as? Data == canonical)
            #expect(delete(certificates([kSecAttrIssuer: new])) == errSecSuccess)
        }
    }

    @Test(arguments: Transport.allCases)
    func `data that is no whole name stays as it is`(transport: Transport) throws {
        let name = try TestName("CA").der
        let others: [Data] = [
            name + [0], name.dropLast(), Data("CA".utf8), Data([0x30]), Data([0x30, 2, 5, 0]), Data(),
        ]
        try withKeychain(transport) {
            for other in others {
                delete(certificates())
                #expect(add(certificates([kSecAttrIssuer: other])) == errSecSuccess)
                try #expect(attributes(of: certificates([kSecAttrIssuer: other]))["issr"] as? Data == other)
            }
        }
    }

    @Test(arguments: Transport.allCases)
    func `an empty name is no issuer`(transport: Transport) throws {
        try withKeychain(transport) {
            add(certificates())
            #expect(find(certificates([kSecAttrIssuer: Data([0x30, 0])])).status == errSecSuccess)
        }
    }
}
