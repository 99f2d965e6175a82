import Crypto
import Foundation
import KeychainTestSupport
import SwiftASN1
import X509

/// OCSP responses that OpenSSL makes, as a server of an authority would.
package enum TestResponses {
    /// - Parameters:
    ///   - subject: whom it is about.
    ///   - issuer: who issued that.
    ///   - status: as the index of `openssl ca` has it: `V` for good, `R` for revoked, nil for unknown.
    ///   - signer: who signs it; the issuer if nil.
    ///   - days: for how long it says to be right; nil if it does not say so.
    ///   - question: a request in DER that somebody has sent; one is made if nil.
    ///   - options: more of `openssl ocsp` for the request, and for the response.
    /// - Returns: it in DER.
    package static func make(
        about subject: TestAuthority,
        of issuer: TestAuthority,
        status: Character?,
        signer: TestAuthority? = nil,
        days: Int? = 1,
        question: [UInt8]? = nil,
        request: [String] = [],
        response: [String] = []
    ) throws -> [UInt8] {
        try OpenSSL.inFolder { folder in
            let signer = signer ?? issuer
            func write(_ text: String, _ name: String) throws {
                try Data(text.utf8).write(to: folder.appending(path: name))
            }
            try write(issuer.certificate.serializeAsPEM().pemString, "issuer.pem")
            try write(subject.certificate.serializeAsPEM().pemString, "subject.pem")
            try write(signer.certificate.serializeAsPEM().pemString, "signer.pem")
            try write(signer.key.pemRepresentation, "signer.key")
            let serial = try OpenSSL.run(["x509", "-in", "subject.pem", "-noout", "-serial"], in: folder)
            let number = String(decoding: serial, as: UTF8.self).dropFirst("serial=".count)
                .trimmingCharacters(in: .whitespacesAndNewlines)
            let line = status.map { status in
                "\(status)\t400101000000Z\t\(status == "R" ? "250101000000Z" : "")\t\(number)\tunknown\t/CN=Subject\n"
            }
            try write(line ?? "", "index.txt")
            try write("unique_subject = no\n", "index.txt.attr")
            if let question {
                try Data(question).write(to: folder.appending(path: "request.der"))
            } else {
                try OpenSSL.run(
                    ["ocsp"] + request
                        + ["-issuer", "issuer.pem", "-cert", "subject.pem", "-no_nonce", "-reqout", "request.der"],
                    in: folder
                )
            }
            try OpenSSL.run(
                ["ocsp", "-index", "index.txt", "-CA", "issuer.pem", "-rsigner", "signer.pem", "-rkey", "signer.key"]
                    + ["-reqin", "request.der", "-respout", "response.der"]
                    + (days.map { ["-ndays", String($0)] } ?? []) + response,
                in: folder
            )
            return Array(try Data(contentsOf: folder.appending(path: "response.der")))
        }
    }
}
