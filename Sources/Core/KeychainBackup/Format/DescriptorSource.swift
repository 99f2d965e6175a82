import KeychainModel
package import KeychainSystem

/// The bytes of an open file from its beginning, wherever others read in it.
package enum DescriptorSource {
    package static func bytes(of file: Descriptor) -> BackupSource {
        var position: UInt64 = 0
        return { (count) throws(KeychainError) in
            let bytes = try KeychainError.translating("the backup cannot be read") {
                try file.prefix(count, from: position)
            }
            position += UInt64(bytes.count)
            return bytes
        }
    }
}
