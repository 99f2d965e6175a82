import Foundation
import Security
import Testing

@Suite("Certificates as objects")
struct CertificateReferenceTests {
    private func certificate(_ value: Any?) -> SecCertificate? { value as? SecCertificate }

    private func der(_ value: Any?) -> Data? {
        certificate(value).map { SecCertificateCopyData($0) as Data }
    }

    @Test(arguments: Transport.allCases)
    func `a reference alone is the certificate, or an array of them`(transport: Transport) throws {
        let first = try TestCertificate(TestName("First"))
        let second = try TestCertificate(TestName("Second"))
        try withKeychain(transport) {
            add(first.item("first"))
            #expect(der(find(certificates([kSecReturnRef: true])).result) == first.der)
            add(second.item("second"))
            for limit in [2, kSecMatchLimitAll] as [Any] {
                let found = find(certificates([kSecReturnRef: true, kSecMatchLimit: limit]))
                let all = try #require(found.result as? [Any])
                #expect(all.map { der($0) } == [first.der, second.der])
            }
        }
    }

    @Test(arguments: Transport.allCases)
    func `a reference with anything else is a dictionary with the class and what was asked for`(
        transport: Transport
    ) throws {
        let root = try TestCertificate(TestName("Root"))
        let additions: [[CFString: Any]] = [
            [kSecReturnAttributes: true], [kSecReturnData: true], [kSecReturnPersistentRef: true],
            [kSecReturnAttributes: true, kSecReturnData: true, kSecReturnPersistentRef: true],
        ]
        try withKeychain(transport) {
            add(root.item("root"))
            for more in additions {
                for limit in [kSecMatchLimitOne, kSecMatchLimitAll] {
                    let query = certificates([kSecReturnRef: true, kSecMatchLimit: limit]).merging(more) { _, new in new
                    }
                    let result = find(query).result
                    let one = limit == kSecMatchLimitOne ? result : (result as? [Any])?.first as CFTypeRef?
                    let item = try #require(one as? [String: Any])
                    #expect(der(item["v_Ref"]) == root.der)
                    #expect(item["class"] as? String == "cert")
                    #expect(item["labl"] as? String == "root")
                    #expect(item["v_Data"] as? Data == (more[kSecReturnData] == nil ? nil : root.der))
                    #expect((item["v_PersistentRef"] != nil) == (more[kSecReturnPersistentRef] != nil))
                }
            }
        }
    }

    @Test(arguments: Transport.allCases)
    func `an item whose data is no certificate has no object`(transport: Transport) throws {
        for data in [nil, Data(), Data("garbage".utf8)] as [Data?] {
            try withKeychain(transport) {
                add(certificateItem("garbage", data: data))
                let alone = resultAfter { SecItemCopyMatching(certificates([kSecReturnRef: true]) as CFDictionary, $0) }
                #expect(alone.status == errSecSuccess)
                #expect(alone.result == nil && !alone.isUntouched)
                let several = find(certificates([kSecReturnRef: true, kSecMatchLimit: kSecMatchLimitAll]))
                #expect(several.status == errSecSuccess)
                #expect((several.result as? [Any])?.count == 0)
                let described = find(certificates([kSecReturnRef: true, kSecReturnAttributes: true])).result
                let item = try #require(described as? [String: Any])
                #expect(item["v_Ref"] == nil)
                #expect(item["labl"] as? String == "garbage")
            }
        }
    }

    @Test(arguments: Transport.allCases)
    func `an add returns the object as a search does`(transport: Transport) throws {
        let root = try TestCertificate(TestName("Root"))
        try withKeychain(transport) {
            #expect(der(addReturning(root.item("one", [kSecReturnRef: true])).result) == root.der)
            let more: [CFString: Any] = [kSecReturnRef: true, kSecReturnAttributes: true]
            let item = try #require(addReturning(root.item("two", more)).result as? [String: Any])
            #expect(der(item["v_Ref"]) == root.der)
            #expect(item["v_Data"] == nil)
        }
    }

    @Test(arguments: Transport.allCases)
    func `a returned certificate belongs to the caller alone`(transport: Transport) throws {
        let root = try TestCertificate(TestName("Root"))
        try withKeychain(transport) {
            add(root.item("root"))
            weak var forgotten: SecCertificate?
            do {
                let found = certificate(find(certificates([kSecReturnRef: true])).result)
                #expect(found != nil)
                forgotten = found
            }
            #expect(forgotten == nil)
        }
    }

    @Test(arguments: Transport.allCases)
    func `two objects of one certificate are equal`(transport: Transport) throws {
        let root = try TestCertificate(TestName("Root"))
        try withKeychain(transport) {
            add(root.item("root"))
            let first = find(certificates([kSecReturnRef: true])).result
            let reference = try reference(of: certificates())
            let second = find([kSecValuePersistentRef: reference, kSecReturnRef: true]).result
            #expect(first != nil)
            #expect(CFEqual(first, second))
        }
    }
}
