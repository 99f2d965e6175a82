extension CertificateContents {
    /// The common name of the subject as it stands in the certificate; the last one, which is the nearest to the subject.
    ///
    /// A text with NUL in it is no name: what stands behind would be lost to programs in C, and the rest may be the name of
    /// somebody else.
    package var commonName: String? {
        subjectAttributes.texts(.commonName).last
    }

    /// The one line by which people tell certificates apart: the common name, else an e-mail address, a host, the
    /// organisational unit, or the organisation; nil where the subject has none of them. Several values of one kind
    /// are joined, the last one first.
    ///
    /// It is for display: characters that cannot be seen and those that turn the direction of text are left out.
    package var summary: String? {
        let name = subjectAttributes
        return Self.summary(
            of: [
                name.texts(.commonName), emailAddresses, dnsNames, name.texts(.organizationalUnit),
                name.texts(.organization),
            ]
        )
    }

    /// The same of the issuer, as far as its name goes.
    package var issuerSummary: String? {
        Self.summary(
            of: [OID.commonName, .organizationalUnit, .organization].map { issuerAttributes.texts($0) }
        )
    }

    /// - Parameter kinds: the texts of each, the best kind first.
    private static func summary(of kinds: [[String]]) -> String? {
        kinds.lazy.map { texts in texts.map(\.displayed).filter { !$0.isEmpty }.reversed().joined(separator: ", ") }
            .first { !$0.isEmpty }
    }

    /// Those of the subject, and the rfc822Names of the extension subjectAltName.
    package var emailAddresses: [String] {
        (subject?.emailAddresses ?? []) + alternativeNames.compactMap(\.emailAddress)
    }

    /// The dNSNames of the extension subjectAltName, as they stand there.
    package var dnsNames: [String] { alternativeNames.compactMap(\.dnsName) }

    /// The iPAddresses of the extension subjectAltName, of whatever length.
    package var ipAddresses: [ArraySlice<UInt8>] { alternativeNames.compactMap(\.ipAddress) }
}

extension [NameAttribute] {
    /// The texts of a type that are names.
    fileprivate func texts(_ type: OID) -> [String] {
        compactMap { $0.type == type ? $0.text : nil }.filter(\.isName)
    }
}

extension String {
    fileprivate var isName: Bool { !isEmpty && !unicodeScalars.contains("\0") }

    /// The text without control characters, and without the characters of format that hide or turn what is around them
    /// (Unicode's general categories Cc and Cf).
    package var displayed: String {
        String(
            unicodeScalars.filter {
                switch $0.properties.generalCategory {
                case .control, .format, .lineSeparator, .paragraphSeparator: false
                default: true
                }
            }
        )
    }
}
