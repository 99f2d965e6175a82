import ArgumentParser
import KeychainCertificates
import KeychainExchange

/// Whom a certificate is for, as OpenSSL's `-subj` writes it: `/C=DE/O=Bakery/CN=Alice`.
///
/// A backslash makes the character behind it a plain one.
struct SubjectName: ExpressibleByArgument {
    let parts: [NamePart]

    init(commonName: String) {
        parts = [NamePart(.commonName, commonName)]
    }

    init?(argument: String) {
        var fields: [String] = []
        var isEscaped = false
        for character in argument {
            if isEscaped {
                fields.append((fields.popLast() ?? "") + String(character))
                isEscaped = false
            } else if character == "\\" {
                isEscaped = true
            } else if character == "/" {
                fields.append("")
            } else if let field = fields.popLast() {
                fields.append(field + String(character))
            } else {
                // It does not begin with a slash.
                return nil
            }
        }
        guard !isEscaped, !fields.isEmpty else { return nil }
        var parts: [NamePart] = []
        for field in fields {
            let halves = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard halves.count == 2, let type = Self.types[halves[0].uppercased()] else { return nil }
            parts.append(NamePart(type, String(halves[1])))
        }
        self.parts = parts
    }

    private static let types: [String: OID] = [
        "CN": .commonName, "C": .country, "O": .organization, "OU": .organizationalUnit, "L": .locality, "ST": .state,
        "SN": .surname, "GN": .givenName, "SERIALNUMBER": .serialNumber, "DC": .domainComponent,
        "EMAILADDRESS": .emailAddress,
    ]
}
