import Glibc

/// What a device, or an operator, proves to a cluster who it is with: one file in PEM, with its certificate first, then the
/// authorities that vouch for the nodes, and its private key.
package struct EtcdCredentials: Sendable {
    package let certificate: String
    package let authorities: [String]
    package let privateKey: String

    private static let largest = 256 << 10

    /// Reads a file that nobody else may read.
    ///
    /// - Throws: `EtcdFailure` of kind `other`, which says what is wrong.
    package init(path: String) throws(EtcdFailure) {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
        guard file >= 0 else {
            let reason = unsafe String(cString: strerror(errno))
            throw EtcdFailure(.other, "the credentials are not at \(path): \(reason)")
        }
        defer { close(file) }
        var status = stat()
        guard unsafe fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size <= Self.largest
        else {
            throw EtcdFailure(.other, "\(path) is no file with credentials")
        }
        guard status.st_mode & 0o077 == 0 else {
            throw EtcdFailure(.other, "\(path) has a private key, and others may read it: chmod 600 \(path)")
        }
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
        let count = unsafe bytes.withUnsafeMutableBytes { unsafe read(file, $0.baseAddress, $0.count) }
        guard count == bytes.count else { throw EtcdFailure(.other, "\(path) cannot be read") }
        guard let credentials = Self(pem: String(decoding: bytes, as: UTF8.self)) else {
            throw EtcdFailure(.other, "\(path) lacks a certificate, its private key, or the authorities of the nodes")
        }
        self = credentials
    }

    /// - Returns: nil where something is missing.
    package init?(pem: String) {
        let certificates = Self.blocks(of: "CERTIFICATE", in: pem)
        let keys = Self.blocks(of: "PRIVATE KEY", in: pem) + Self.blocks(of: "EC PRIVATE KEY", in: pem)
        guard let first = certificates.first, certificates.count > 1, let key = keys.first, keys.count == 1 else {
            return nil
        }
        certificate = first
        authorities = Array(certificates.dropFirst())
        privateKey = key
    }

    private static func blocks(of label: String, in text: String) -> [String] {
        let (begin, end) = ("-----BEGIN \(label)-----", "-----END \(label)-----")
        var blocks: [String] = []
        var block: [Substring]?
        for line in text.split(whereSeparator: \.isNewline) {
            if line == begin {
                block = [line]
            } else if line == end, let lines = block {
                blocks.append((lines + [line]).joined(separator: "\n") + "\n")
                block = nil
            } else {
                block?.append(line)
            }
        }
        return blocks
    }
}
