import Foundation
import FuzzSupport

@testable import KeychainCertificates
@testable import Security

/// A certificate, and every question that a program can ask of it.
@main
enum FuzzCertificates: FuzzTarget {
    static func run(_ bytes: [UInt8]) {
        readNames(bytes)
        let contents = CertificateContents(der: bytes)
        let certificate = SecCertificateCreateWithData(nil, NSData(data: Data(bytes)))
        require((certificate == nil) == (contents == nil), "what can be read is an object, and nothing else")
        guard let certificate, let contents else { return }
        require(
            SecCertificateCopyData(certificate) as Data == Data(bytes),
            "an object has the bytes that it was made of"
        )
        check(contents)
        ask(certificate, contents)
    }

    private static func readNames(_ bytes: [UInt8]) {
        let content = DistinguishedName.normalizedContent(of: bytes)
        if let name = DistinguishedName(der: bytes) {
            let again = DistinguishedName(der: name.normalizedSequence)
            require(again == name && content == name.normalizedContent, "normalising twice is normalising once")
        }
    }

    private static func check(_ contents: CertificateContents) {
        require((1...3).contains(contents.version), "there are three versions")
        require(!contents.serialNumber.isEmpty, "a serial number has a byte")
        if let key = contents.subjectPublicKeyInfo.publicKey {
            require(key.applicationLabel == contents.publicKeyHash, "a key has the hash that its certificate has")
            let bytes = key.externalRepresentation
            let readers = [PublicKey.init(rsa:), PublicKey.init(point:), PublicKey.init(ed25519:)]
            require(readers.contains { $0(bytes) == key }, "a key's external representation is that key")
        }
        if let summary = contents.summary {
            require(!summary.isEmpty && summary == summary.displayed, "a summary can be seen")
        }
        require(contents.commonName?.contains("\0") != true, "no common name has NUL in it")
        require(contents.subject != nil || contents.subjectAttributes.isEmpty, "a malformed subject has no parts")
        require(
            contents.ocspServers.count + contents.revocationListServers.count
                <= contents.extensions.reduce(0) {
                    $0 + $1.value.count
                },
            "an address has a byte"
        )
        require(contents.notBefore.isFinite && contents.notAfter.isFinite, "a time is a number")
        let names = contents.extensions.filter { $0.type == .subjectAlternativeName }
        require(
            names.contains { (try? GeneralName.list(in: $0.value)) != nil } || contents.alternativeNames.isEmpty,
            "malformed alternative names name nobody"
        )
    }

    /// Calls all functions, by the names that programs know.
    private static func ask(_ certificate: SecCertificate, _ contents: CertificateContents) {
        var name: CFString?
        require(
            (SecCertificateCopyCommonName(certificate, &name) == errSecSuccess) == (name != nil),
            "a common name comes with success"
        )
        var addresses: CFArray?
        require(SecCertificateCopyEmailAddresses(certificate, &addresses) == errSecSuccess, "addresses can be listed")
        _ = SecCertificateCopySubjectSummary(certificate)
        require(SecCertificateCopySerialNumberData(certificate, nil) != nil, "there is a serial number")
        require(SecCertificateCopyNormalizedIssuerSequence(certificate) != nil, "there is an issuer")
        let subject = SecCertificateCopyNormalizedSubjectSequence(certificate) as Data?
        require(subject == contents.subject.map { Data($0.normalizedSequence) }, "a subject that can be read is told")
        _ = (SecCertificateCopyNotValidBeforeDate(certificate), SecCertificateCopyNotValidAfterDate(certificate))
        if let key = SecCertificateCopyKey(certificate) {
            require(SecKeyCopyAttributes(key) != nil && SecKeyGetBlockSize(key) > 0, "a key has attributes")
            _ = key.description
        }
        let values = SecCertificateCopyValues(certificate, nil, nil)
        require((values?.count ?? 0) >= 10, "every field is listed")
        require(SecCertificateCopyLongDescription(nil, certificate, nil) != nil, "everything can be printed")
        require(SecCertificateCopyShortDescription(nil, certificate, nil) != nil, "a line can be printed")
    }

    static func seeds() throws -> [String: [UInt8]] {
        let ellipticCurve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
        let ornate = [
            "basicConstraints=critical,CA:TRUE,pathlen:3", "keyUsage=critical,keyCertSign,cRLSign",
            "extendedKeyUsage=serverAuth,1.2.3.4",
            "subjectAltName=DNS:example.com,email:a@example.com,URI:https://example.com,IP:10.0.0.1",
            "authorityInfoAccess=OCSP;URI:http://example.com", "crlDistributionPoints=URI:http://example.com",
            "certificatePolicies=1.2.3.4", "1.2.3.4=DER:0500",
        ]
        return [
            "elliptic-curve": try certificate(ellipticCurve, "/O=Company/CN=Alice"),
            "rsa": try certificate(["-newkey", "rsa:1024"], "/CN=Alice/emailAddress=a@example.com"),
            "edwards": try certificate(["-newkey", "ed25519"], "/OU=Sales"),
            "extensions": try certificate(ellipticCurve + ornate.flatMap { ["-addext", $0] }, "/CN=Alice"),
            // A Name alone: a BMPString and a TeletexString.
            "name": [
                0x30, 0x1E, 0x31, 0x0D, 0x30, 0x0B, 0x06, 0x03, 0x55, 0x04, 0x03, 0x1E, 0x04, 0x00, 0x41, 0x00, 0x62,
                0x31, 0x0D, 0x30, 0x0B, 0x06, 0x03, 0x55, 0x04, 0x0A, 0x14, 0x04, 0x5A, 0x6F, 0xEB, 0x20,
            ],
        ]
    }

    /// A certificate that OpenSSL makes.
    private static func certificate(_ options: [String], _ subject: String) throws -> [UInt8] {
        let output = Pipe()
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments =
            ["openssl", "req", "-x509", "-nodes", "-keyout", "/dev/null", "-outform", "DER", "-subj", subject] + options
        process.standardOutput = output
        try process.run()
        let bytes = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return Array(bytes)
    }
}
