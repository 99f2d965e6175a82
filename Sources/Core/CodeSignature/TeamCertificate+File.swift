package import KeychainModel

extension TeamCertificate {
    package init(contentsOf path: String) throws(KeychainError) {
        let text = try SmallFile.text(path)
        do throws(KeychainError) {
            try self.init(pem: text)
        } catch {
            throw KeychainError(error.code, "\(path) is no certificate of a team: \(error.message)")
        }
    }

    /// Writes a new file.
    package func write(to path: String) throws(KeychainError) {
        try SmallFile.write(pem, to: path, mode: 0o644)
    }
}
