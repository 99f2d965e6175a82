import CSecurity
import Foundation
import Security

// The program's functions by which a key is described and used in the earlier ways; nil for those that it lacks. Objects
// are owned by the caller.
extension CustomKey {
    func publicKey(of key: UnsafeRawPointer?) -> UnsafeRawPointer? { unsafe functions.copyPublicKey?(key) }

    func attributes(of key: UnsafeRawPointer?) -> UnsafeRawPointer? { unsafe functions.copyDictionary?(key) }

    func blockSize(of key: UnsafeRawPointer?) -> Int { unsafe functions.blockSize?(key) ?? 0 }

    /// In bits what its attributes say, else the size of a block.
    func size(of key: UnsafeRawPointer?, isInBits: Bool) -> Int {
        let block = unsafe blockSize(of: key)
        guard isInBits else { return block }
        let attributes = unsafe attributes(of: key)
        defer { unsafe OutgoingObject.release(attributes) }
        let size = unsafe IncomingObject.dictionary(attributes)?[kSecAttrKeySizeInBits] as? NSNumber
        return size?.intValue ?? block.multipliedReportingOverflow(by: 8).partialValue
    }

    func copyPublicBytes(of key: UnsafeRawPointer?, to place: ObjectPlace) -> Int32? {
        unsafe functions.copyPublic?(key, place)
    }

    func sign(
        _ key: UnsafeRawPointer?,
        _ padding: UInt32,
        _ data: UnsafePointer<UInt8>?,
        _ length: Int,
        _ signature: UnsafeMutablePointer<UInt8>?,
        _ signatureLength: UnsafeMutablePointer<Int>?
    ) -> Int32? {
        unsafe functions.rawSign?(key, padding, data, length, signature, signatureLength)
    }

    func verify(
        _ key: UnsafeRawPointer?,
        _ padding: UInt32,
        _ data: UnsafePointer<UInt8>?,
        _ length: Int,
        _ signature: UnsafePointer<UInt8>?,
        _ signatureLength: Int
    ) -> Int32? {
        unsafe functions.rawVerify?(key, padding, data, length, signature, signatureLength)
    }

    func encrypt(
        _ key: UnsafeRawPointer?,
        _ padding: UInt32,
        _ plain: UnsafePointer<UInt8>?,
        _ length: Int,
        _ cipher: UnsafeMutablePointer<UInt8>?,
        _ cipherLength: UnsafeMutablePointer<Int>?
    ) -> Int32? {
        unsafe functions.encrypt?(key, padding, plain, length, cipher, cipherLength)
    }

    func decrypt(
        _ key: UnsafeRawPointer?,
        _ padding: UInt32,
        _ cipher: UnsafePointer<UInt8>?,
        _ length: Int,
        _ plain: UnsafeMutablePointer<UInt8>?,
        _ plainLength: UnsafeMutablePointer<Int>?
    ) -> Int32? {
        unsafe functions.decrypt?(key, padding, cipher, length, plain, plainLength)
    }
}
