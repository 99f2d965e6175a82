import EnclaveInterface
import KeychainFiles
package import KeychainModel

/// A passcode that systemd hands to a service, so that a machine unlocks a keychain without a person.
///
/// `chatelaine.passcode.UID` is one user's, `chatelaine.passcode` that of every user who has none of their own. It is
/// read when a keychain is opened, and not kept.
package struct UnattendedPasscode: Sendable {
    private let folder: String
    private let uid: UInt32

    package static let credentialName = "chatelaine.passcode"

    package init(credentials folder: String, of uid: UInt32) {
        self.folder = folder
        self.uid = uid
    }

    /// Without the line end that an editor leaves.
    ///
    /// - Returns: nil where there is none.
    /// - Throws: `notAvailable` for a file that others may read.
    package func read() throws(KeychainError) -> SecretBytes? {
        for name in ["\(Self.credentialName).\(uid)", Self.credentialName] {
            let path = folder + "/" + name
            guard let file = try SecureFile.read(path, largest: Passcode.largestInput + 1, ownership: .credential)
            else {
                continue
            }
            return file.withoutLineEnd
        }
        return nil
    }
}

extension SecretBytes {
    /// The line without the end that an editor leaves.
    var withoutLineEnd: SecretBytes {
        unsafe withUnsafeBytes { bytes in
            unsafe SecretBytes(bytes.last == UInt8(ascii: "\n") ? bytes.dropLast() : bytes[...])
        }
    }
}
