import Foundation
import FuzzSupport

@testable import KeychainCertificates
@testable import KeychainTrust

/// What a revocation server answers, or what somebody puts into its place.
@main
enum FuzzRevocationResponses: FuzzTarget {
    static func run(_ bytes: [UInt8]) {
        guard let response = OCSPResponse(der: bytes) else { return }
        require(response.producedAt.isFinite, "a time is a number")
        for answer in response.answers {
            require(answer.thisUpdate.isFinite && answer.nextUpdate?.isFinite != false, "a time is a number")
        }
        for nonce in [nil, nonce] as [[UInt8]?] { evaluate(response, answering: nonce) }
    }

    static func seeds() -> [String: [UInt8]] {
        ["good": good, "revoked": revoked, "with-nonce": withNonce, "try-later": [0x30, 3, 0x0A, 1, 3]]
    }

    private static func evaluate(_ response: OCSPResponse, answering nonce: [UInt8]?) {
        var evidence = RevocationEvidence(staples: [])
        evidence.add(response, answering: nonce)
        let outcome = TrustVerifier(anchors: .only([root]), intermediates: []).evaluate(
            leaf,
            for: [.revocation(needsPositiveAnswer: true)],
            at: date,
            evidence: evidence
        )
        guard let findings = outcome.revocation else { return require(false, "the certificate can be read") }
        guard findings.isComplete || !findings.revoked.isEmpty else { return }
        require(signed.contains(Array(response.signedBytes)), "what nobody has signed proves nothing")
        require(
            findings.revoked.isEmpty || response.answers.contains { $0.status == .revoked },
            "nothing is revoked that nobody has revoked"
        )
    }

    /// What the keys below signed. A signature has more than one form.
    private static let signed = [good, revoked, withNonce].compactMap { OCSPResponse(der: $0) }.map {
        Array($0.signedBytes)
    }

    /// That of the last response.
    private static let nonce = OCSPResponse(der: withNonce)?.extensions.first { $0.type == .ocspNonce }.map {
        Array($0.value)
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

    /// By the issuer.
    private static let good = der(
        """
        MIICmAoBAKCCApEwggKNBgkrBgEFBQcwAQEEggJ+MIICejCBkaERMA8xDTALBgNVBAMMBFJvb3QYDzIwMjYxMTI0MjExMDEzWjBrMGkwQTAJ
        BgUrDgMCGgUABBRu5L9Op3kl2xUuUq0sadLj6HhUagQUwU+fImb1gSl8LabJFEJ9YZ1MktMCCBI0VniQq83vgAAYDzIwMjYxMTI0MjExMDEz
        WqARGA8yMDc2MDMwNjIxMTAxM1owCgYIKoZIzj0EAwIDSAAwRQIgQAQTDXTsetRk1fwZZpEAUM/glXmzaVivAGPdL97oThYCIQCW3oMbCSlu
        5+bUMyefgZOdZ9cD3bk91bxoGQSMy2/HgqCCAYwwggGIMIIBhDCCASugAwIBAgIUJaj9P6Ah3WZDqfyCwEGq2zlQ9nEwCgYIKoZIzj0EAwIw
        DzENMAsGA1UEAwwEUm9vdDAgFw0yNjExMjQyMTEwMTNaGA8yMDc2MTExMTIxMTAxM1owDzENMAsGA1UEAwwEUm9vdDBZMBMGByqGSM49AgEG
        CCqGSM49AwEHA0IABMG0m/WPFrChxRnPjlF+Hh/MPM860fpbbMj/TnGZEgA4m1sTlNN8/QxscsMdCJCIG4uPOlphAkuA13mUpiyPaSajYzBh
        MB0GA1UdDgQWBBTBT58iZvWBKXwtpskUQn1hnUyS0zAfBgNVHSMEGDAWgBTBT58iZvWBKXwtpskUQn1hnUyS0zAPBgNVHRMBAf8EBTADAQH/
        MA4GA1UdDwEB/wQEAwIBBjAKBggqhkjOPQQDAgNHADBEAiA52POksrUvaLZIky1G3112VlY7g1lqtXY51oOSh0WyIgIgeK8IBR/NrACG8kQt
        TrV8IHe4zqbS7cikJ18Y8//RbLc=
        """
    )

    /// By somebody whom the issuer has named, whose certificate comes with it.
    private static let revoked = der(
        """
        MIICqAoBAKCCAqEwggKdBgkrBgEFBQcwAQEEggKOMIICijCBp6IWBBSq5T3Q/a+kgpM05yCJX+j19Yr6KBgPMjAyNjExMjQyMTEwMTNaMHww
        ejBBMAkGBSsOAwIaBQAEFG7kv06neSXbFS5SrSxp0uPoeFRqBBTBT58iZvWBKXwtpskUQn1hnUyS0wIIEjRWeJCrze+hERgPMjAyNTAxMDEw
        MDAwMDBaGA8yMDI2MTEyNDIxMTAxM1qgERgPMjA3NjAzMDYyMTEwMTNaMAoGCCqGSM49BAMCA0gAMEUCIBQGRNw+oREmaORQskrJdvkcEZSc
        tpS2NIEQ8Apl0E05AiEAqZPD01E3n0jg9lEpsKjTLjqigucO5hxAdKa10YF8f7egggGGMIIBgjCCAX4wggEkoAMCAQICFExuSbEvgrTzzmoo
        IVFtCEWLoJ5QMAoGCCqGSM49BAMCMA8xDTALBgNVBAMMBFJvb3QwIBcNMjYxMTI0MjExMDEzWhgPMjA3NjExMTEyMTEwMTNaMBQxEjAQBgNV
        BAMMCVJlc3BvbmRlcjBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABDpgZ/eu8rrNdHBF9a/b759IKSCHFbf9XweouDMgNiA5O0hNml5k3fH6
        8PbmpWSJCATh8r+NUAujE2Ur1y+1PEGjVzBVMBMGA1UdJQQMMAoGCCsGAQUFBwMJMB0GA1UdDgQWBBSq5T3Q/a+kgpM05yCJX+j19Yr6KDAf
        BgNVHSMEGDAWgBTBT58iZvWBKXwtpskUQn1hnUyS0zAKBggqhkjOPQQDAgNIADBFAiEA8YhMQjHNS6ueV/nIUFGJe5hfHNOc1RRctDYI+bcI
        i2QCIHKWp7DIl8aqbmXDIWsr2jyDFMwEVCIAiX6vxmoxomiE
        """
    )

    /// By the issuer, with SHA-256.
    private static let withNonce = der(
        """
        MIIC2goBAKCCAtMwggLPBgkrBgEFBQcwAQEEggLAMIICvDCB1KERMA8xDTALBgNVBAMMBFJvb3QYDzIwMjYxMTI0MjExMDEzWjCBiDCBhTBd
        MA0GCWCGSAFlAwQCAQUABCCfbZvhIiW7apnnMsxAy2YVELwzH5oRsfwKpUICPFyGwwQg1XDsp4ClfHa1RHHu9TJcEZdFgVFkvZf59Z9/8oAW
        ZKcCCBI0VniQq83vgAAYDzIwMjYxMTI0MjExMDEzWqARGA8yMDc2MDMwNjIxMTAxM1qhIzAhMB8GCSsGAQUFBzABAgQSBBBxitlDoymdQpC7
        mT8pCLHcMAoGCCqGSM49BAMCA0cAMEQCIB4OX2IDChPlIlWDcRav9C1Spmsuq2xKts+nOhCDFXy+AiA4B+0DIZITEv1ba0HKM7kNXW+5Mms8
        nhsYYm+WzdfECKCCAYwwggGIMIIBhDCCASugAwIBAgIUJaj9P6Ah3WZDqfyCwEGq2zlQ9nEwCgYIKoZIzj0EAwIwDzENMAsGA1UEAwwEUm9v
        dDAgFw0yNjExMjQyMTEwMTNaGA8yMDc2MTExMTIxMTAxM1owDzENMAsGA1UEAwwEUm9vdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABMG0
        m/WPFrChxRnPjlF+Hh/MPM860fpbbMj/TnGZEgA4m1sTlNN8/QxscsMdCJCIG4uPOlphAkuA13mUpiyPaSajYzBhMB0GA1UdDgQWBBTBT58i
        ZvWBKXwtpskUQn1hnUyS0zAfBgNVHSMEGDAWgBTBT58iZvWBKXwtpskUQn1hnUyS0zAPBgNVHRMBAf8EBTADAQH/MA4GA1UdDwEB/wQEAwIB
        BjAKBggqhkjOPQQDAgNHADBEAiA52POksrUvaLZIky1G3112VlY7g1lqtXY51oOSh0WyIgIgeK8IBR/NrACG8kQtTrV8IHe4zqbS7cikJ18Y
        8//RbLc=
        """
    )

    private static func der(_ text: String) -> [UInt8] {
        guard let data = Data(base64Encoded: text, options: .ignoreUnknownCharacters) else {
            preconditionFailure("the text is not in base 64")
        }
        return Array(data)
    }
}
