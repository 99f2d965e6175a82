/// What a private key of the enclave's computes. The numbers stand for the algorithms in messages.
package enum EnclaveKeyAlgorithm: UInt8, Sendable, CaseIterable {
    /// ECDSA and ECDH.
    case p256 = 0
    /// ML-DSA (FIPS 204): signs messages.
    case mldsa65 = 1
    case mldsa87 = 2
    /// ML-KEM (FIPS 203): opens what others have encapsulated.
    case mlkem768 = 3
    case mlkem1024 = 4

    /// In bytes: of P-256 a point (X9.63), of the others what FIPS 203 and 204 give.
    package var publicKeySize: Int {
        switch self {
        case .p256: 65
        case .mldsa65: 1_952
        case .mldsa87: 2_592
        case .mlkem768: 1_184
        case .mlkem1024: 1_568
        }
    }

    /// In bytes: what is encapsulated (FIPS 203, section 8); nil where nothing is.
    package var ciphertextSize: Int? {
        switch self {
        case .mlkem768: 1_088
        case .mlkem1024: 1_568
        case .p256, .mldsa65, .mldsa87: nil
        }
    }
}
