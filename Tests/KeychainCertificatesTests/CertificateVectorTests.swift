import Foundation
import Testing

@testable import KeychainCertificates

@Suite("Vectors of certificates")
struct CertificateVectorTests {
    @Test(arguments: CertificateVector.all)
    func `a certificate is taken or refused as on Apple's systems`(vector: CertificateVector) throws {
        let bytes = Array(try Data(contentsOf: vector.file))
        let contents = CertificateContents(der: bytes)
        #expect((contents != nil) == vector.isTaken)
        if let begins = vector.fact("begins") { #expect(contents?.notBefore == Double(begins)) }
        if let hosts = vector.fact("hosts") {
            #expect(contents?.dnsNames == hosts.split(separator: ",").map(String.init))
        }
        if let subject = vector.fact("subject") {
            #expect((contents?.subject == nil) == (subject == "none"))
            #expect(contents?.subjectAttributes.isEmpty == true)
            #expect(contents?.commonName == nil && contents?.summary == nil)
        }
        if let key = vector.fact("key") {
            #expect(contents?.subjectPublicKeyInfo.algorithm.algorithm.description == key)
        }
        #expect((contents?.properties(fingerprinting: bytes).count ?? 11) >= 11)
    }

    /// `CHATELAINE_WRITE_VECTORS=1` makes the files anew first.
    @Test func `the files are what the recipes make`() throws {
        let recipes = CertificateRecipe.all
        if ProcessInfo.processInfo.environment["CHATELAINE_WRITE_VECTORS"] == "1" {
            for recipe in recipes { try Data(recipe.bytes).write(to: recipe.vector.file) }
            let lines = recipes.map { $0.vector.line + "\n" }.joined()
            try lines.write(to: CertificateVector.manifest, atomically: true, encoding: .utf8)
        }
        let manifest = try String(contentsOf: CertificateVector.manifest, encoding: .utf8)
        #expect(manifest == recipes.map { $0.vector.line + "\n" }.joined())
        for recipe in recipes {
            #expect(try Data(contentsOf: recipe.vector.file) == Data(recipe.bytes), "\(recipe.vector.name)")
        }
        let files = try FileManager.default.contentsOfDirectory(atPath: CertificateVector.folder.path)
        #expect(Set(files.filter { $0.hasSuffix(".der") }) == Set(recipes.map { $0.vector.name + ".der" }))
    }

    @Test func `a key on Edwards' curve is shown by its name`() throws {
        let file = CertificateVector.folder.appending(path: "ed25519.der")
        let bytes = Array(try Data(contentsOf: file))
        let contents = try #require(CertificateContents(der: bytes))
        #expect(contents.subjectPublicKeyInfo.publicKey?.kind == .ed25519)
        #expect(contents.subjectPublicKeyInfo.key.count == 32)
        let algorithms = contents.properties(fingerprinting: bytes).filter { $0.label.contains("Algorithm") }
        let names = algorithms.map { property in
            guard case .section(let parts) = property.value, case .string(let name)? = parts.first?.value else {
                return ""
            }
            return name
        }
        #expect(names == ["Ed25519 (1.3.101.112)", "Ed25519 (1.3.101.112)"])
    }
}
