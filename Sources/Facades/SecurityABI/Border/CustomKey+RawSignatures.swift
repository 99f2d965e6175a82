import CSecurity
import Foundation
import Security

// The earlier functions for signatures, by a key that has algorithms alone.
extension CustomKey {
    func sign(
        _ key: UnsafeRawPointer?,
        _ padding: UInt32,
        digest: UnsafeBufferPointer<UInt8>,
        into place: UnsafeMutablePointer<UInt8>?,
        _ length: UnsafeMutablePointer<Int>
    ) -> Int32? {
        unsafe withAlgorithm(key, .sign, padding) { algorithm in
            let data = unsafe OutgoingObject.object(NSData(bytes: digest.baseAddress, length: digest.count))
            defer { unsafe OutgoingObject.release(data) }
            var failure: UnsafeRawPointer?
            let made = unsafe self.data(key, .sign, algorithm, data, nil, orError: &failure)
            defer {
                unsafe OutgoingObject.release(made)
                unsafe OutgoingObject.release(failure)
            }
            guard let made = unsafe made, let signature = unsafe (try? Argument.data(made)) as Data? else {
                return errSecInternalComponent
            }
            guard let place = unsafe place, unsafe length.pointee >= signature.count else { return errSecParam }
            unsafe signature.copyBytes(to: place, count: signature.count)
            unsafe length.pointee = signature.count
            return errSecSuccess
        }
    }

    func verify(
        _ key: UnsafeRawPointer?,
        _ padding: UInt32,
        digest: UnsafeBufferPointer<UInt8>,
        _ signature: UnsafeBufferPointer<UInt8>
    ) -> Int32? {
        unsafe withAlgorithm(key, .verify, padding) { algorithm in
            let data = unsafe OutgoingObject.object(NSData(bytes: digest.baseAddress, length: digest.count))
            let other = unsafe OutgoingObject.object(NSData(bytes: signature.baseAddress, length: signature.count))
            defer {
                unsafe OutgoingObject.release(data)
                unsafe OutgoingObject.release(other)
            }
            var failure: UnsafeRawPointer?
            defer { unsafe OutgoingObject.release(failure) }
            let isRight = unsafe verifies(key, algorithm, data, other, orError: &failure)
            return isRight ? errSecSuccess : errSSLCrypto
        }
    }

    /// - Returns: nil where the key has none of the algorithms that the padding stands for.
    private func withAlgorithm(
        _ key: UnsafeRawPointer?,
        _ operation: SecKeyOperationType,
        _ padding: UInt32,
        _ body: (UnsafeRawPointer?) -> Int32
    ) -> Int32? {
        for name in Self.algorithms(of: padding) {
            let algorithm = unsafe OutgoingObject.string(name)
            defer { unsafe OutgoingObject.release(algorithm) }
            if unsafe supports(key, operation, algorithm) { return unsafe body(algorithm) }
        }
        return nil
    }

    /// Those of RSA and of elliptic curves: which type the key is of, it need not say.
    private static func algorithms(of padding: UInt32) -> [String] {
        let hashes: [UInt32: String] = [
            0x8002: "SHA1", 0x8003: "SHA224", 0x8004: "SHA256", 0x8005: "SHA384", 0x8006: "SHA512",
        ]
        if let hash = hashes[padding] {
            return ["algid:sign:RSA:digest-PKCS1v15:\(hash)", "algid:sign:ECDSA:digest-X962:\(hash)"]
        }
        return switch padding {
        case 0: ["algid:sign:RSA:raw", "algid:sign:ECDSA:digest-X962"]
        case 1: ["algid:sign:RSA:digest-PKCS1v15", "algid:sign:ECDSA:digest-X962"]
        case 0x4000: ["algid:sign:ECDSA:digest-RFC4754"]
        default: []
        }
    }
}
