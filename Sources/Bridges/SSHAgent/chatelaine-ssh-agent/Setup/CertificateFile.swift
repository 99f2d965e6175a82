import Glibc
import KeychainSystem
import SSHAgentProtocol
import Terminal

/// A file that ssh-keygen has written for a certified key.
enum CertificateFile {
    /// In bytes. Base64 takes four for three.
    private static let largest = 128 << 10

    /// - Returns: the certificate, and the comment behind it.
    /// - Throws: where the file cannot be read, or has something else.
    static func read(_ path: String) throws -> (SSHPublicKey, SSHComment) {
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try Descriptor(opening: path, O_RDONLY | O_NONBLOCK).prefix(largest + 1)
        } catch {
            throw Failure("\(path) cannot be read: \(error.reason)")
        }
        guard bytes.count <= largest, let (key, comment) = SSHPublicKey.parse(line: bytes), key.certificate != nil
        else { throw Failure("\(path) is no certificate that can be used") }
        return (key, comment)
    }
}
