import KeychainModel
import KeychainSystem

extension FileStamp {
    /// Of an open file.
    static func of(_ descriptor: Int32) throws(KeychainError) -> FileStamp {
        try KeychainError.translating { try LentDescriptor(descriptor).stamp() }
    }

    /// Of what a path names; links are not followed.
    ///
    /// - Returns: nil if there is nothing.
    static func of(path: String) throws(KeychainError) -> FileStamp? {
        try KeychainError.translating { try FileStamp(path: path) }
    }
}
