import Foundation
import FuzzSupport

@testable import KeychainCertificates
@testable import KeychainTrust

/// A certificate wherever an evaluation takes one: as what is evaluated, as one that may lead to an anchor, and as an anchor;
/// and a file of anchors.
@main
enum FuzzTrust: FuzzTarget {
    static func run(_ bytes: [UInt8]) {
        evaluate(bytes)
        // Certificates that came into being otherwise than by their issuers' keys.
        let verdict = TrustVerifier(anchors: .only([root]), intermediates: [bytes]).evaluate(
            leaf,
            for: [.basicX509],
            at: date
        )
        if case .isTrusted = verdict {
            require(isSigned(bytes), "a certificate that was not signed leads nowhere")
        }
        asAnchor(bytes)
        for certificate in PEMBundle.certificates(in: bytes) where certificate != bytes { asAnchor(certificate) }
    }

    static func seeds() -> [String: [UInt8]] {
        let armour = ["-----BEGIN CERTIFICATE-----", Data(root).base64EncodedString(), "-----END CERTIFICATE-----", ""]
        return [
            "root": root, "intermediate": intermediate, "leaf": leaf,
            "bundle": Array((armour + armour).joined(separator: "\n").utf8),
        ]
    }

    private static func evaluate(_ bytes: [UInt8]) {
        let verifier = TrustVerifier(anchors: .only([root]), intermediates: [intermediate])
        for policies: [TrustPolicy] in [
            [], [.tls(isServer: true, name: "server.example")], [.tls(isServer: false, name: "127.0.0.1")],
            [.mail(address: "a@example"), .codeSigning, .timeStamping],
        ] {
            switch verifier.evaluate(bytes, for: policies, at: date) {
            case .isTrusted(let chain):
                require(isSigned(bytes), "a certificate that was not signed is not trusted")
                require(chain.first == bytes && chain.last == root, "a chain goes from the certificate to the anchor")
            case .isNotTrusted(let failures, let chain):
                require(!failures.isEmpty, "there is a reason")
                require(chain.first == bytes, "a chain begins with the certificate")
                require(failures.allSatisfy { !$0.message.isEmpty }, "a reason is a sentence")
            }
        }
    }

    private static func asAnchor(_ bytes: [UInt8]) {
        let verifier = TrustVerifier(anchors: .only([bytes]), intermediates: [intermediate])
        if case .isTrusted(let chain) = verifier.evaluate(leaf, for: [], at: date) {
            require(chain.last == bytes, "nothing is trusted but under the anchor")
        }
        if case .isTrusted(let chain) = verifier.evaluate(
            bytes,
            for: [.tls(isServer: true, name: "x.example")],
            at: date
        ) {
            require(chain == [bytes], "an anchor is its own chain")
        }
    }

    /// Whether the signed part is one of those that the keys below signed. A signature has more than one form.
    private static func isSigned(_ bytes: [UInt8]) -> Bool {
        [root, intermediate, leaf].contains { $0.signedPart == bytes.signedPart }
    }

    /// 1 January 2027.
    private static let date = 820_454_400.0

    private static let root = der(
        """
        MIIBYzCCAQqgAwIBAgIUa1dc8laJsXk2cMbGPHcRT1UQKxEwCgYIKoZIzj0EAwIwDzENMAsGA1UEAwwEUm9vdDAgFw0yNjExMjExOTI4
        MDZaGA8yMDc2MTEwODE5MjgwNlowDzENMAsGA1UEAwwEUm9vdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABATX/eUewzyFqXYktBEP
        bCCVf9PxcQa6b6KzyvV30OSsqq4XaORejL/JRxyJ1SuNjBueL4yzX0EGBKhv+roYYBOjQjBAMA8GA1UdEwEB/wQFMAMBAf8wDgYDVR0P
        AQH/BAQDAgIEMB0GA1UdDgQWBBTj+ya39U/b/Q+jhMUS0IlS7RBckjAKBggqhkjOPQQDAgNHADBEAiAig3s8KyS8A97yryGalMNB1+SL
        YlPz3oVaiBv/5BQVzwIgFcWnGhjFrLyT4+8t9luuLQLyexJjKR/OLehFdtLy3aI=
        """
    )

    private static let intermediate = der(
        """
        MIIBmzCCAUGgAwIBAgIULzdRwf11s651bLWN2iOjQXMUsbgwCgYIKoZIzj0EAwIwDzENMAsGA1UEAwwEUm9vdDAgFw0yNjExMjExOTI4
        MDZaGA8yMDc2MTEwNzE5MjgwNlowFzEVMBMGA1UEAwwMSW50ZXJtZWRpYXRlMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEYdIHzTpo
        /gRCGKPKkLtrCzcaJNKt9UGkwhxC7mN4AII++XPM8AsVm2DdNTa1Ydq8kQe1241oObUOOhT/qVt83aNxMG8wEgYDVR0TAQH/BAgwBgEB
        /wIBADAZBgNVHR4BAf8EDzANoAswCYIHZXhhbXBsZTAdBgNVHQ4EFgQUAj68hin8y5uyWT2yWX52hi14t/MwHwYDVR0jBBgwFoAU4/sm
        t/VP2/0Po4TFEtCJUu0QXJIwCgYIKoZIzj0EAwIDSAAwRQIgdR0XUNkiN2sOFgTPA9P9LAqCdeEubTja69S9YU7ngSUCIQCNnjuJo9i1
        HLGr9ZmfhAmxyjsB3Sc97QE4GSy5dl6SGg==
        """
    )

    private static let leaf = der(
        """
        MIIBojCCAUigAwIBAgIUab0A8se7MJn8mlYbur5wz6aPVyowCgYIKoZIzj0EAwIwFzEVMBMGA1UEAwwMSW50ZXJtZWRpYXRlMCAXDTI2
        MTEyMTE5MjgwNloYDzIwNzYxMTA2MTkyODA2WjAPMQ0wCwYDVQQDDARMZWFmMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEv22+3wSp
        oek0MaCcggrhOG4ifYWV1KfHG4OkfX3LxUMXYV4sCDipoRRFd2OAikU5yQX4GCR8KmapkPGfafn2UaN4MHYwEwYDVR0lBAwwCgYIKwYB
        BQUHAwEwHwYDVR0RBBgwFoIOc2VydmVyLmV4YW1wbGWHBH8AAAEwHQYDVR0OBBYEFHRLJQXCUIaag+7t3US6V6Ukxd0QMB8GA1UdIwQY
        MBaAFAI+vIYp/Mubslk9sll+doYteLfzMAoGCCqGSM49BAMCA0gAMEUCIBEMyemYWFUAsWXhdrvsJAARnun0m7s8AI+qpn11IEevAiEA
        wyF9lGSElPt7ytuOo3/Q5cDldYl+/qTWBmr3aGzgiss=
        """
    )

    private static func der(_ text: String) -> [UInt8] {
        guard let data = Data(base64Encoded: text, options: .ignoreUnknownCharacters) else {
            preconditionFailure("the text is not in base 64")
        }
        return Array(data)
    }
}

extension [UInt8] {
    /// The first element of a sequence, both with two bytes of length, as these certificates have them.
    fileprivate var signedPart: [UInt8]? {
        guard count > 8, self[0] == 0x30, self[1] == 0x82, self[4] == 0x30, self[5] == 0x82 else { return nil }
        return Array(dropFirst(4).prefix(4 + (Int(self[6]) << 8 | Int(self[7]))))
    }
}
