import Foundation
import Security

/// Objects of which items are made: a certificate of OpenSSL's, and its public key.
enum SampleObjects {
    static let certificate = Data(base64Encoded: encoded).flatMap { SecCertificateCreateWithData(nil, $0 as NSData) }
    static let key = certificate.flatMap(SecCertificateCopyKey)

    private static let encoded =
        "MIIBATCBqAIBATAKBggqhkjOPQQDAjAMMQowCAYDVQQDDAFBMCAXDTI2MTEyMTE5MjA1NVoYDzIxMjYxMDI4MTkyMDU1WjAMMQow"
        + "CAYDVQQDDAFBMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEdsR7wMNYVTcEs7qHgqr5HhUVocvDHxW9ALZ2BkqlWx9m69NsDASu"
        + "ekeJmU8JgNULi6FmZZ2TY5jU1mNCm98qDTAKBggqhkjOPQQDAgNIADBFAiEArg7NnEbxzxucJVOA1U/b41uSAZo5UMU2MeCZTSqn"
        + "qjsCIGILsLNFFXGZK3FsdBlXKZ/E6/s8wrqclK4hbi+JV+tM"
}
