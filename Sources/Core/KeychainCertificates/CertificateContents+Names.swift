extension CertificateContents {
    /// The common name of the subject as it stands in the certificate; the last one, which is the nearest to the subject.
    ///
    /// A text with NUL in it is no name: what stands behind would be lost to programs in C, and the rest may be the name of
    /// somebody else.
    package var commonName: String? {
        subjectAttributes.text(.commonName)
    }

    /// The one line by which people tell certificates apart: the common name, else the organisational unit, the
    /// organisation, an e-mail address, or a host; nil where the subject has none of them.
    ///
    /// It is for display: characters that cannot be seen and those that turn the direction of text are left out.
    package var summary: String? {
        let names = subjectAttributes.names
        return (names + [emailAddresses.first, dnsNames.first].compactMap { $0?.displayed }).first { !$0.isEmpty }
    }

    /// The same of the issuer, as far as its name goes.
    package var issuerSummary: String? {
        issuerAttributes.names.first { !$0.isEmpty }
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
    /// The last text of a type that is a name.
    fileprivate func text(_ type: OID) -> String? {
        last { $0.type == type && $0.text?.isName ?? false }?.text
    }

    /// What a summary may be, for display, the best first.
    fileprivate var names: [String] {
        [OID.commonName, .organizationalUnit, .organization].compactMap { text($0)?.displayed }
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
