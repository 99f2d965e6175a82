package import KeychainModel
import LocalEnclave

extension KeychainDirectory {
    /// Has a folder's device key open on this machine from now on, whichever one it was made on.
    ///
    /// - Throws: `notAvailable` where there is none, or none in clear.
    package static func adoptDeviceKey(in folder: String) throws(KeychainError) {
        try LocalEnclaveFolder(path: folder).adopt()
    }
}
