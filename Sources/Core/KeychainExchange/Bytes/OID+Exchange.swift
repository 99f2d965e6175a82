import KeychainCertificates
import SwiftASN1

extension OID {
    // Encryption with passwords (RFC 8018, appendix A.4; RFC 7292, appendix C).
    static let pbes2 = OID([1, 2, 840, 113549, 1, 5, 13])
    static let pbkdf2 = OID([1, 2, 840, 113549, 1, 5, 12])
    static let pbmac1 = OID([1, 2, 840, 113549, 1, 5, 14])
    /// RFC 7914, section 7.
    static let scrypt = OID([1, 3, 6, 1, 4, 1, 11591, 4, 11])
    static let pbeWithSHAAnd3KeyTripleDES = OID([1, 2, 840, 113549, 1, 12, 1, 3])
    static let pbeWithSHAAnd2KeyTripleDES = OID([1, 2, 840, 113549, 1, 12, 1, 4])
    static let pbeWithSHAAnd128BitRC2 = OID([1, 2, 840, 113549, 1, 12, 1, 5])
    static let pbeWithSHAAnd40BitRC2 = OID([1, 2, 840, 113549, 1, 12, 1, 6])

    // RFC 8018, appendices B.1 and B.2; NIST's Computer Security Objects Register.
    static let hmacWithSHA1 = OID([1, 2, 840, 113549, 2, 7])
    static let hmacWithSHA224 = OID([1, 2, 840, 113549, 2, 8])
    static let hmacWithSHA256 = OID([1, 2, 840, 113549, 2, 9])
    static let hmacWithSHA384 = OID([1, 2, 840, 113549, 2, 10])
    static let hmacWithSHA512 = OID([1, 2, 840, 113549, 2, 11])
    static let tripleDESCBC = OID([1, 2, 840, 113549, 3, 7])
    static let aes128CBC = OID([2, 16, 840, 1, 101, 3, 4, 1, 2])
    static let aes192CBC = OID([2, 16, 840, 1, 101, 3, 4, 1, 22])
    static let aes256CBC = OID([2, 16, 840, 1, 101, 3, 4, 1, 42])
    static let sha1 = OID([1, 3, 14, 3, 2, 26])
    static let sha256 = OID([2, 16, 840, 1, 101, 3, 4, 2, 1])
    static let sha384 = OID([2, 16, 840, 1, 101, 3, 4, 2, 2])
    static let sha512 = OID([2, 16, 840, 1, 101, 3, 4, 2, 3])

    // Kinds of content (RFC 5652, sections 4, 5.1, 6.1 and 8).
    static let data = OID([1, 2, 840, 113549, 1, 7, 1])
    static let signedData = OID([1, 2, 840, 113549, 1, 7, 2])
    static let envelopedData = OID([1, 2, 840, 113549, 1, 7, 3])
    static let encryptedData = OID([1, 2, 840, 113549, 1, 7, 6])

    // Bags (RFC 7292, section 4.2).
    static let keyBag = OID([1, 2, 840, 113549, 1, 12, 10, 1, 1])
    static let shroudedKeyBag = OID([1, 2, 840, 113549, 1, 12, 10, 1, 2])
    static let certificateBag = OID([1, 2, 840, 113549, 1, 12, 10, 1, 3])
    static let safeContentsBag = OID([1, 2, 840, 113549, 1, 12, 10, 1, 6])
    static let x509Certificate = OID([1, 2, 840, 113549, 1, 9, 22, 1])

    // Attributes (RFC 2985, sections 5.4.2, 5.5.1 and 5.5.2).
    static let extensionRequest = OID([1, 2, 840, 113549, 1, 9, 14])
    static let friendlyName = OID([1, 2, 840, 113549, 1, 9, 20])
    static let localKeyIdentifier = OID([1, 2, 840, 113549, 1, 9, 21])

    // Signatures (RFC 5758, section 3.2; RFC 8017, appendix A.2.4).
    static let ecdsaWithSHA256 = OID([1, 2, 840, 10045, 4, 3, 2])
    static let ecdsaWithSHA384 = OID([1, 2, 840, 10045, 4, 3, 3])
    static let ecdsaWithSHA512 = OID([1, 2, 840, 10045, 4, 3, 4])
    static let sha256WithRSAEncryption = OID([1, 2, 840, 113549, 1, 1, 11])
    static let sha384WithRSAEncryption = OID([1, 2, 840, 113549, 1, 1, 12])
    static let sha512WithRSAEncryption = OID([1, 2, 840, 113549, 1, 1, 13])
}
