import Glibc
import SSHAgentProtocol

/// A file that ssh-keygen has written for a certified key.
enum CertificateFile {
    /// In bytes. Base64 takes four for three.
    private static let largest = 128 << 10

    /// - Returns: the certificate, and the comment behind it.
    /// - Throws: where the file cannot be read, or has something else.
    static func read(_ path: String) throws -> (SSHPublicKey, SSHComment) {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw Failure("\(path) cannot be opened: \(AgentServer.reason)") }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 16 << 10)
        while bytes.count <= largest {
            let count = unsafe piece.withUnsafeMutableBytes { unsafe Glibc.read(descriptor, $0.baseAddress, $0.count) }
            guard count >= 0 else { throw Failure("\(path) cannot be read: \(AgentServer.reason)") }
            guard count > 0 else { break }
            bytes += piece.prefix(count)
        }
        guard bytes.count <= largest, let (key, comment) = SSHPublicKey.parse(line: bytes), key.certificate != nil
        else { throw Failure("\(path) is no certificate that can be used") }
        return (key, comment)
    }
}
