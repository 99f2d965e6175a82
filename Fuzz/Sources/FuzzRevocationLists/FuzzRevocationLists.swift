import Foundation
import FuzzSupport

@testable import KeychainCertificates
@testable import KeychainTrust

/// A list of revoked certificates, or what somebody puts into its place.
@main
enum FuzzRevocationLists: FuzzTarget {
    static func run(_ bytes: [UInt8]) {
        guard let list = RevocationList(der: bytes), let number = CertificateContents(der: leaf)?.serialNumber else {
            return
        }
        require(list.thisUpdate.isFinite && list.nextUpdate?.isFinite != false, "a time is a number")
        // Also of a list that nobody has signed.
        let status = list.status(ofSerialNumber: number)
        require(
            (status == nil) == (list.status(ofSerialNumber: []) == nil),
            "a list that is malformed says nothing of anybody"
        )
        evaluate(list, status)
    }

    static func seeds() -> [String: [UInt8]] {
        ["good": good, "revoked": revoked, "point": point, "changes": changes]
    }

    private static func evaluate(_ list: RevocationList, _ status: RevocationList.Status?) {
        var evidence = RevocationEvidence(staples: [])
        evidence.add(list)
        let outcome = TrustVerifier(anchors: .only([root]), intermediates: []).evaluate(
            leaf,
            for: [.revocation(needsPositiveAnswer: true)],
            at: date,
            evidence: evidence
        )
        guard let findings = outcome.revocation else { return require(false, "the certificate can be read") }
        guard findings.isComplete || !findings.revoked.isEmpty else { return }
        require(signed.contains(Array(list.signedBytes)), "what nobody has signed proves nothing")
        require(findings.revoked.isEmpty == (status == .notListed), "who is on the list was revoked")
    }

    /// What the root's key signed, apart from a list of changes. A signature has more than one form.
    private static let signed = [good, revoked, point].compactMap { RevocationList(der: $0) }.map {
        Array($0.signedBytes)
    }

    /// 1 January 2027.
    private static let date = 820_454_400.0

    private static let root = der(
        """
        MIIBhDCCASugAwIBAgIUJaj9P6Ah3WZDqfyCwEGq2zlQ9nEwCgYIKoZIzj0EAwIwDzENMAsGA1UEAwwEUm9vdDAgFw0yNjExMjQyMTEwMTNa
        GA8yMDc2MTExMTIxMTAxM1owDzENMAsGA1UEAwwEUm9vdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABMG0m/WPFrChxRnPjlF+Hh/MPM86
        0fpbbMj/TnGZEgA4m1sTlNN8/QxscsMdCJCIG4uPOlphAkuA13mUpiyPaSajYzBhMB0GA1UdDgQWBBTBT58iZvWBKXwtpskUQn1hnUyS0zAf
        BgNVHSMEGDAWgBTBT58iZvWBKXwtpskUQn1hnUyS0zAPBgNVHRMBAf8EBTADAQH/MA4GA1UdDwEB/wQEAwIBBjAKBggqhkjOPQQDAgNHADBE
        AiA52POksrUvaLZIky1G3112VlY7g1lqtXY51oOSh0WyIgIgeK8IBR/NrACG8kQtTrV8IHe4zqbS7cikJ18Y8//RbLc=
        """
    )

    private static let leaf = der(
        """
        MIIBtDCCAVugAwIBAgIIEjRWeJCrze8wCgYIKoZIzj0EAwIwDzENMAsGA1UEAwwEUm9vdDAgFw0yNjExMjQyMTEwMTNaGA8yMDc2MTExMTIx
        MTAxM1owDzENMAsGA1UEAwwETGVhZjBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABD17Oaf35P8K3nLzoyoEfvlYJw3u37dJr9PFGnQzHFJv
        Qc7acPiLYJ0Dvn1mOSfMGvYuGaXR6Wz5SXFuX/b+VMmjgZ4wgZswJgYDVR0fBB8wHTAboBmgF4YVaHR0cDovL2EuZXhhbXBsZS9saXN0MDEG
        CCsGAQUFBwEBBCUwIzAhBggrBgEFBQcwAYYVaHR0cDovL2EuZXhhbXBsZS9vY3NwMB0GA1UdDgQWBBQwHWJS+DtNAMDpLRO2kR8o2eypCTAf
        BgNVHSMEGDAWgBTBT58iZvWBKXwtpskUQn1hnUyS0zAKBggqhkjOPQQDAgNHADBEAiB6n1KwMpDalANOzZ2LaV7CpRl4QIHee3D5OP7ibUnI
        egIgLfO848C4WVapJ2OLHVmwxxQSlz3fd2J81YeRLEbMlbs=
        """
    )

    /// It names somebody else.
    private static let good = der(
        """
        MIGrMFQwCgYIKoZIzj0EAwIwDzENMAsGA1UEAwwEUm9vdBcNMjYxMTI0MjExMDEzWhgPMjA3NjAzMDYyMTEwMTNaMBUwEwICAQIXDTI1MDEw
        MTAwMDAwMFowCgYIKoZIzj0EAwIDRwAwRAIgdWKB5VHkhXj0YvJURzAr/wB9M1u92ka6U2ucvavb0OcCIGf7Vh2it4W+JrZSsxSOgPBKi/7k
        XwN4Oop1aY13qoDd
        """
    )

    private static let revoked = der(
        """
        MIH+MIGlAgEBMAoGCCqGSM49BAMCMA8xDTALBgNVBAMMBFJvb3QXDTI2MTEyNDIxMTAxM1oYDzIwNzYwMzA2MjExMDEzWjA+MBMCAgECFw0y
        NTAxMDEwMDAwMDBaMCcCCBI0VniQq83vFw0yNTAxMDEwMDAwMDBaMAwwCgYDVR0VBAMKAQGgIzAhMB8GA1UdIwQYMBaAFMFPnyJm9YEpfC2m
        yRRCfWGdTJLTMAoGCCqGSM49BAMCA0gAMEUCIB0edGeTquSqoKXO8cQj5ZqDz6r11Lg3g+SVLsr6VIGxAiEA/UroLoLt1oK0r/WtTIMxPYU5
        b7Y9Nrhu1NNfzHi/k70=
        """
    )

    /// About certificates that name its address.
    private static let point = der(
        """
        MIHJMHACAQEwCgYIKoZIzj0EAwIwDzENMAsGA1UEAwwEUm9vdBcNMjYxMTI0MjExMDE0WhgPMjA3NjAzMDYyMTEwMTRaoC4wLDAqBgNVHRwB
        Af8EIDAeoBmgF4YVaHR0cDovL2EuZXhhbXBsZS9saXN0gQH/MAoGCCqGSM49BAMCA0kAMEYCIQCvV/JGWP+4lvw3H3quwTvh+esRZXW2xrbj
        Um26dRI/XAIhALsUxFQ8QJsVDo2KQ87kXMAgTeKpEcPh7EhjcxzIYvDe
        """
    )

    private static let changes = der(
        """
        MIHWMH4CAQEwCgYIKoZIzj0EAwIwDzENMAsGA1UEAwwEUm9vdBcNMjYxMTI0MjExMDE0WhgPMjA3NjAzMDYyMTEwMTRaMCkwJwIIEjRWeJCr
        ze8XDTI1MDEwMTAwMDAwMFowDDAKBgNVHRUEAwoBAaARMA8wDQYDVR0bAQH/BAMCAQEwCgYIKoZIzj0EAwIDSAAwRQIhAMrtEbOEEOtZb3y0
        QzCvn/KxjNuzNOzhtGNNuMrdZlgJAiBDoRMOMNilOP3+si838IL6SeCjhny7jBNWskyLKgmKFA==
        """
    )

    private static func der(_ text: String) -> [UInt8] {
        guard let data = Data(base64Encoded: text, options: .ignoreUnknownCharacters) else {
            preconditionFailure("the text is not in base 64")
        }
        return Array(data)
    }
}
