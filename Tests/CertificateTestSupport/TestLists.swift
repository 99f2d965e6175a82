package import Crypto
import Foundation
import KeychainTestSupport
import SwiftASN1
import X509

/// Lists of revoked certificates that OpenSSL makes, as an authority would.
package enum TestLists {
    /// - Parameters:
    ///   - issuer: whose list it is, and who signs it.
    ///   - revoked: whom it names, each with a reason as `openssl ca` spells it, or none.
    ///   - extensions: lines of a section of OpenSSL's, such as `issuingDistributionPoint=critical,@point`.
    ///   - point: lines of the section `point`.
    ///   - options: more of `openssl ca`.
    /// - Returns: it in DER.
    package static func make(
        by issuer: TestAuthority,
        revoked: [(TestAuthority, reason: String?)] = [],
        extensions: [String] = [],
        point: [String] = [],
        options: [String] = ["-crldays", "1"]
    ) throws -> [UInt8] {
        try OpenSSL.inFolder { folder in
            func write(_ text: String, _ name: String) throws {
                try Data(text.utf8).write(to: folder.appending(path: name))
            }
            try write(issuer.certificate.serializeAsPEM().pemString, "issuer.pem")
            try write(issuer.key.pemRepresentation, "issuer.key")
            let lines = try revoked.map { holder, reason in
                try write(holder.certificate.serializeAsPEM().pemString, "holder.pem")
                let serial = try OpenSSL.run(["x509", "-in", "holder.pem", "-noout", "-serial"], in: folder)
                let number = String(decoding: serial, as: UTF8.self).dropFirst("serial=".count)
                    .trimmingCharacters(in: .whitespacesAndNewlines)
                let date = "250101000000Z" + (reason.map { "," + $0 } ?? "")
                return "R\t400101000000Z\t\(date)\t\(number)\tunknown\t/CN=Subject\n"
            }
            try write(lines.joined(), "index.txt")
            try write("unique_subject = no\n", "index.txt.attr")
            let list = extensions.isEmpty ? [] : ["crl_extensions=list", "[list]"] + extensions
            let settings =
                ["[ca]", "default_ca=authority", "[authority]", "database=index.txt", "default_md=sha256"] + list
                + ["[point]"] + point
            try write(settings.joined(separator: "\n") + "\n", "settings")
            try OpenSSL.run(
                ["ca", "-config", "settings", "-gencrl", "-cert", "issuer.pem", "-keyfile", "issuer.key"]
                    + ["-out", "list.pem"] + options,
                in: folder
            )
            return Array(try OpenSSL.run(["crl", "-in", "list.pem", "-outform", "DER"], in: folder))
        }
    }

    /// The same list with other fields, signed anew.
    ///
    /// - Parameter change: gets the fields of the signed part, each in DER.
    package static func remade(
        _ list: [UInt8],
        signedBy key: P256.Signing.PrivateKey,
        _ change: (inout [[UInt8]]) throws -> Void
    ) throws -> [UInt8] {
        let parts = try children(of: DER.parse(list))
        guard parts.count == 3 else { return [] }
        var fields = children(of: parts[0]).map { Array($0.encodedBytes) }
        try change(&fields)
        let signed = DERBytes.element(0x30, fields.flatMap { $0 })
        let signature = try key.signature(for: signed).derRepresentation
        return DERBytes.element(
            0x30,
            signed + Array(parts[1].encodedBytes) + DERBytes.element(0x03, [0] + Array(signature))
        )
    }

    private static func children(of node: ASN1Node) -> [ASN1Node] {
        guard case .constructed(let children) = node.content else { return [] }
        return Array(children)
    }
}

/// DER by hand, for what no type makes.
package enum DERBytes {
    package static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        let count = content.count
        if count < 0x80 { return [tag, UInt8(count)] + content }
        let length = stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: count >> $0) }.drop {
            $0 == 0
        }
        return [tag, 0x80 | UInt8(length.count)] + length + content
    }
}

extension CertificateRequest {
    /// The same, and where its issuer answers for it.
    package func answered(byServers servers: [String] = [], lists: [String] = []) -> CertificateRequest {
        with { request in
            let accesses = servers.flatMap { server in
                DERBytes.element(
                    0x30,
                    [0x06, 8, 0x2B, 6, 1, 5, 5, 7, 0x30, 1] + DERBytes.element(0x86, Array(server.utf8))
                )
            }
            if !servers.isEmpty {
                request.others.append(
                    Certificate.Extension(
                        oid: .X509ExtensionID.authorityInformationAccess,
                        critical: false,
                        value: DERBytes.element(0x30, accesses)[...]
                    )
                )
            }
            let points = lists.flatMap { list in
                DERBytes.element(
                    0x30,
                    DERBytes.element(0xA0, DERBytes.element(0xA0, DERBytes.element(0x86, Array(list.utf8))))
                )
            }
            if !lists.isEmpty {
                request.others.append(
                    Certificate.Extension(
                        oid: [2, 5, 29, 31],
                        critical: false,
                        value: DERBytes.element(0x30, points)[...]
                    )
                )
            }
        }
    }
}
