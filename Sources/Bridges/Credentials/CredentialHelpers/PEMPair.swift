import KeychainModel

/// A client's certificates and their private key, as they stand behind each other in a file.
enum PEMPair {
    /// - Returns: nil where the text is no PEM.
    /// - Throws: where a block does not end, or the certificate or the key is missing, or there are two keys.
    static func read(_ text: SecretBytes) throws(HelperFailure) -> (certificate: SecretBytes, key: SecretBytes)? {
        let incomplete = HelperFailure("the PEM text has to have a certificate and one private key, whole")
        var certificates = SecretText()
        var keys: [SecretBytes] = []
        var hasCertificate = false
        var block: (start: Int, label: String)?
        for line in text.lines() {
            guard line.count < 80, let line = (text.text(line).map { (range: line, text: $0) }) else {
                if block == nil { return nil }
                throw incomplete
            }
            if block == nil, line.text.hasPrefix("-----BEGIN "), line.text.hasSuffix("-----") {
                block = (line.range.lowerBound, String(line.text.dropFirst(11).dropLast(5)))
            } else if let (start, label) = block, line.text == "-----END \(label)-----" {
                var piece = SecretText()
                piece += text.slice(start..<line.range.upperBound)
                piece += "\n"
                if label == "CERTIFICATE" {
                    hasCertificate = true
                    certificates += piece
                } else if label.hasSuffix("PRIVATE KEY") {
                    keys.append(piece.joined())
                }
                block = nil
            }
        }
        guard block == nil else { throw incomplete }
        if keys.isEmpty && !hasCertificate { return nil }
        guard hasCertificate, keys.count == 1, let key = keys.first else { throw incomplete }
        return (certificates.joined(), key)
    }
}
