extension OID {
    /// The identifier with its name, where it has one that people know.
    var described: String {
        Self.name(of: description).map { "\($0) (\(description))" } ?? description
    }

    /// The name of an identifier by its numbers; nil where it is not one of those below.
    package static func name(of identifier: String) -> String? {
        names[identifier]
    }

    private static let names: [String: String] = [
        // Parts of names (ITU-T X.520; RFC 4519; RFC 2985).
        "2.5.4.3": "Common Name", "2.5.4.4": "Surname", "2.5.4.5": "Serial Number", "2.5.4.6": "Country or Region",
        "2.5.4.7": "Locality", "2.5.4.8": "State/Province", "2.5.4.9": "Street Address", "2.5.4.10": "Organization",
        "2.5.4.11": "Organizational Unit", "2.5.4.12": "Title", "2.5.4.13": "Description",
        "2.5.4.15": "Business Category", "2.5.4.17": "Postal Code", "2.5.4.42": "Given Name",
        "2.5.4.97": "Organization Identifier", "0.9.2342.19200300.100.1.1": "User ID",
        "0.9.2342.19200300.100.1.25": "Domain Component", "1.2.840.113549.1.9.1": "Email Address",
        // Algorithms (RFC 3279, RFC 4055, RFC 5480, RFC 5758, RFC 8410).
        "1.2.840.113549.1.1.1": "RSA Encryption", "1.2.840.113549.1.1.4": "MD5 with RSA Encryption",
        "1.2.840.113549.1.1.5": "SHA-1 with RSA Encryption", "1.2.840.113549.1.1.10": "RSASSA-PSS",
        "1.2.840.113549.1.1.11": "SHA-256 with RSA Encryption", "1.2.840.113549.1.1.12": "SHA-384 with RSA Encryption",
        "1.2.840.113549.1.1.13": "SHA-512 with RSA Encryption", "1.2.840.113549.1.1.14": "SHA-224 with RSA Encryption",
        "1.2.840.10040.4.1": "DSA", "1.2.840.10045.2.1": "Elliptic Curve Public Key",
        "1.2.840.10045.4.1": "ECDSA Signature with SHA-1", "1.2.840.10045.4.3.1": "ECDSA Signature with SHA-224",
        "1.2.840.10045.4.3.2": "ECDSA Signature with SHA-256", "1.2.840.10045.4.3.3": "ECDSA Signature with SHA-384",
        "1.2.840.10045.4.3.4": "ECDSA Signature with SHA-512", "1.2.840.10045.3.1.7": "P-256",
        "1.3.132.0.34": "P-384", "1.3.132.0.35": "P-521", "1.3.101.110": "X25519", "1.3.101.111": "X448",
        "1.3.101.112": "Ed25519", "1.3.101.113": "Ed448",
        // Extensions (RFC 5280, RFC 6962).
        "2.5.29.14": "Subject Key Identifier", "2.5.29.15": "Key Usage", "2.5.29.17": "Subject Alternative Name",
        "2.5.29.18": "Issuer Alternative Name", "2.5.29.19": "Basic Constraints", "2.5.29.30": "Name Constraints",
        "2.5.29.31": "CRL Distribution Points", "2.5.29.32": "Certificate Policies", "2.5.29.33": "Policy Mappings",
        "2.5.29.35": "Authority Key Identifier", "2.5.29.36": "Policy Constraints", "2.5.29.37": "Extended Key Usage",
        "2.5.29.46": "Freshest CRL", "2.5.29.54": "Inhibit Any Policy",
        "1.3.6.1.5.5.7.1.1": "Certificate Authority Information Access",
        "1.3.6.1.5.5.7.1.3": "Qualified Certificate Statements",
        "1.3.6.1.5.5.7.1.11": "Subject Information Access",
        "1.3.6.1.4.1.11129.2.4.2": "Embedded Signed Certificate Timestamp List",
        // Uses of keys (RFC 5280, section 4.2.1.12).
        "2.5.29.37.0": "Any Use", "1.3.6.1.5.5.7.3.1": "Server Authentication",
        "1.3.6.1.5.5.7.3.2": "Client Authentication", "1.3.6.1.5.5.7.3.3": "Code Signing",
        "1.3.6.1.5.5.7.3.4": "Email Protection", "1.3.6.1.5.5.7.3.8": "Time Stamping",
        "1.3.6.1.5.5.7.3.9": "OCSP Signing",
        // Ways to reach more (RFC 5280, section 4.2.2) and kinds of policies.
        "1.3.6.1.5.5.7.48.1": "Online Certificate Status Protocol", "1.3.6.1.5.5.7.48.2": "CA Issuers",
        "1.3.6.1.5.5.7.48.5": "CA Repository", "1.3.6.1.5.5.7.2.1": "Certification Practice Statement",
        "1.3.6.1.5.5.7.2.2": "User Notice", "2.5.29.32.0": "Any Policy",
        "2.23.140.1.2.1": "Domain Validated", "2.23.140.1.2.2": "Organization Validated",
        "2.23.140.1.1": "Extended Validation",
    ]
}
