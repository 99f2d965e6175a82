// Written as Apple's documentation and its readers write it, forced unwraps and casts included.
// swift-format-ignore-file: NeverForceUnwrap

internal import Foundation
internal import Security

/// A root and the certificate of a server under it, valid from November 2026 to September 2027.
enum Certificates {
    static let rootText = """
        MIIBpTCCAUqgAwIBAgIBATAKBggqhkjOPQQDAjApMRAwDgYDVQQKDAdFeGFtcGxlMRUwEwYDVQQDDAxFeGFtcGxlIFJvb3QwHhcN
        MjYxMTIxMTkwMjM3WhcNMzYxMTE4MTkwMjM3WjApMRAwDgYDVQQKDAdFeGFtcGxlMRUwEwYDVQQDDAxFeGFtcGxlIFJvb3QwWTAT
        BgcqhkjOPQIBBggqhkjOPQMBBwNCAARTdzUegcnaXHC5Msy7lLAmi+nU9CB9Sa/cUKlpEzwAw0S9ES7N3Uh7BySUHYNYeVCcW7WH
        j3BvFIhfjbpts0RBo2MwYTAdBgNVHQ4EFgQUACazHoEUf1wrzp0nqJPv1fTHAGUwHwYDVR0jBBgwFoAUACazHoEUf1wrzp0nqJPv
        1fTHAGUwDwYDVR0TAQH/BAUwAwEB/zAOBgNVHQ8BAf8EBAMCAQYwCgYIKoZIzj0EAwIDSQAwRgIhAJlXdREAlReWc9kQow9vOJJL
        GYdOh/3cWgDFlw0+GCkeAiEAyu6s+7VjuvuxlBd2fSdDESsnJyRNUA60XrXPwKDOCvg=
        """
    static let serverText = """
        MIIB6TCCAY+gAwIBAgICEjQwCgYIKoZIzj0EAwIwKTEQMA4GA1UECgwHRXhhbXBsZTEVMBMGA1UEAwwMRXhhbXBsZSBSb290MB4X
        DTI2MTEyMTE5MDIzN1oXDTI3MDkxNzE5MDIzN1owLDEQMA4GA1UECgwHRXhhbXBsZTEYMBYGA1UEAwwPd3d3LmV4YW1wbGUuY29t
        MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEStHGgMJ9blMSe4yAIuh7BHBT1WnO7/bNUQzGltD11fWU/CwahO1PT4xETpYQf3xa
        /eQz13pupIJ/U4VQjvNbA6OBozCBoDAMBgNVHRMBAf8EAjAAMA4GA1UdDwEB/wQEAwIHgDATBgNVHSUEDDAKBggrBgEFBQcDATAr
        BgNVHREEJDAigg93d3cuZXhhbXBsZS5jb22CD2FwaS5leGFtcGxlLmNvbTAdBgNVHQ4EFgQUa+UycPlqkEBo5Yusi5hllQ0ezbgw
        HwYDVR0jBBgwFoAUACazHoEUf1wrzp0nqJPv1fTHAGUwCgYIKoZIzj0EAwIDSAAwRQIgBC98eqi4/Ae2vIhvwkQUWJUNdoPtkag0
        aUh1AvKmxWcCIQCGq7aj2L8HLNKKKaw36msp/RW5L0C9/+GmS3dGAj8gAQ==
        """

    static let root = make(rootText)
    static let server = make(serverText)
    static let whileValid = Date(timeIntervalSince1970: 1_803_859_200)

    static func make(_ text: String) -> SecCertificate {
        let data = Data(base64Encoded: text, options: .ignoreUnknownCharacters)!
        return SecCertificateCreateWithData(nil, data as CFData)!
    }
}
