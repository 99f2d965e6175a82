import CoreFoundationAliases
import Foundation
import Security
import Testing

@Suite("The names and values of Apple's constants")
struct ConstantsTests {
    @Test func `every constant has the value that stored data uses`() {
        let table: [(CFString, String)] = [
            (kSecClass, "class"), (kSecClassGenericPassword, "genp"), (kSecClassInternetPassword, "inet"),
            (kSecClassCertificate, "cert"), (kSecClassKey, "keys"), (kSecClassIdentity, "idnt"),
            (kSecAttrAccessGroup, "agrp"), (kSecAttrAccessible, "pdmn"), (kSecAttrAccessControl, "accc"),
            (kSecAttrSynchronizable, "sync"), (kSecAttrSynchronizableAny, "syna"), (kSecAttrCreationDate, "cdat"),
            (kSecAttrModificationDate, "mdat"), (kSecAttrLabel, "labl"), (kSecAttrTokenID, "tkid"),
            (kSecAttrAccount, "acct"), (kSecAttrService, "svce"), (kSecAttrGeneric, "gena"),
            (kSecAttrDescription, "desc"), (kSecAttrComment, "icmt"), (kSecAttrCreator, "crtr"),
            (kSecAttrType, "type"), (kSecAttrIsInvisible, "invi"), (kSecAttrIsNegative, "nega"),
            (kSecAttrSecurityDomain, "sdmn"), (kSecAttrServer, "srvr"), (kSecAttrProtocol, "ptcl"),
            (kSecAttrAuthenticationType, "atyp"), (kSecAttrPort, "port"), (kSecAttrPath, "path"),
            (kSecAttrCertificateType, "ctyp"), (kSecAttrCertificateEncoding, "cenc"), (kSecAttrSubject, "subj"),
            (kSecAttrIssuer, "issr"), (kSecAttrSerialNumber, "slnr"), (kSecAttrSubjectKeyID, "skid"),
            (kSecAttrPublicKeyHash, "pkhh"), (kSecAttrKeyClass, "kcls"), (kSecAttrApplicationLabel, "klbl"),
            (kSecAttrApplicationTag, "atag"), (kSecAttrKeyType, "type"), (kSecAttrKeySizeInBits, "bsiz"),
            (kSecAttrEffectiveKeySize, "esiz"), (kSecAttrIsPermanent, "perm"), (kSecAttrCanDerive, "drve"),
            (kSecAttrAccessibleWhenUnlocked, "ak"), (kSecAttrAccessibleAfterFirstUnlock, "ck"),
            (kSecAttrAccessibleAlways, "dk"), (kSecAttrAccessibleWhenUnlockedThisDeviceOnly, "aku"),
            (kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly, "cku"), (kSecAttrAccessibleAlwaysThisDeviceOnly, "dku"),
            (kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly, "akpu"), (kSecAttrProtocolFTP, "ftp "),
            (kSecAttrProtocolHTTPS, "htps"), (kSecAttrProtocolSSH, "ssh "), (kSecAttrProtocolSOCKS, "sox "),
            (kSecAttrAuthenticationTypeHTTPBasic, "http"), (kSecAttrAuthenticationTypeDefault, "dflt"),
            (kSecAttrKeyClassPublic, "0"), (kSecAttrKeyClassPrivate, "1"), (kSecAttrKeyClassSymmetric, "2"),
            (kSecAttrKeyTypeRSA, "42"), (kSecAttrKeyTypeEC, "73"), (kSecAttrKeyTypeECSECPrimeRandom, "73"),
            (kSecAttrTokenIDSecureEnclave, "com.apple.setoken"), (kSecAttrAccessGroupToken, "com.apple.token"),
            (kSecMatchPolicy, "m_Policy"), (kSecMatchItemList, "m_ItemList"), (kSecMatchIssuers, "m_Issuers"),
            (kSecMatchEmailAddressIfPresent, "m_EmailAddressIfPresent"), (kSecMatchTrustedOnly, "m_TrustedOnly"),
            (kSecMatchLimit, "m_Limit"), (kSecMatchLimitOne, "m_LimitOne"), (kSecMatchLimitAll, "m_LimitAll"),
            (kSecReturnData, "r_Data"), (kSecReturnAttributes, "r_Attributes"), (kSecReturnRef, "r_Ref"),
            (kSecReturnPersistentRef, "r_PersistentRef"), (kSecValueData, "v_Data"), (kSecValueRef, "v_Ref"),
            (kSecValuePersistentRef, "v_PersistentRef"), (kSecUseItemList, "u_ItemList"),
            (kSecUseDataProtectionKeychain, "nleg"), (kSecUseAuthenticationContext, "u_AuthCtx"),
            (kSecUseAuthenticationUI, "u_AuthUI"), (kSecUseAuthenticationUISkip, "u_AuthUIS"),
            (kSecUseOperationPrompt, "u_OpPrompt"), (kSecUseNoAuthenticationUI, "u_NoAuthUI"),
            (kSecPrivateKeyAttrs, "private"), (kSecPublicKeyAttrs, "public"), (kSecSharedPassword, "spwd"),
            (kSecImportExportPassphrase, "passphrase"), (kSecImportItemIdentity, "identity"),
            (kSecImportExportKeychain, "keychain"), (kSecImportExportAccess, "access"), (kSecImportItemLabel, "label"),
            (kSecImportItemKeyID, "keyid"), (kSecImportItemTrust, "trust"), (kSecImportItemCertChain, "chain"),
            (kSecUseKeychain, "u_Keychain"), (kSecUseUserIndependentKeychain, "u_UserIndependentKeychain"),
            (kSecUseAuthenticationUIAllow, "u_AuthUIA"), (kSecUseAuthenticationUIFail, "u_AuthUIF"),
            (kSecAttrKeyTypeECDSA, "73"), (kSecAttrKeyTypeDSA, "43"), (kSecAttrKeyTypeAES, "2147483649"),
            (kSecAttrKeyTypeDES, "14"), (kSecAttrKeyType3DES, "17"), (kSecAttrKeyTypeRC4, "25"),
            (kSecAttrKeyTypeRC2, "23"), (kSecAttrKeyTypeCAST, "27"), (kSecAttrPersistentReference, "persistref"),
            (kSecAttrPersistantReference, "persistref"), (kSecAttrNoLegacy, "nleg"), (kSecAttrIsSensitive, "sens"),
            (kSecAttrIsExtractable, "extr"), (kSecAttrCanEncrypt, "encr"), (kSecAttrCanDecrypt, "decr"),
            (kSecAttrCanSign, "sign"), (kSecAttrCanVerify, "vrfy"), (kSecAttrCanWrap, "wrap"),
            (kSecAttrCanUnwrap, "unwp"), (kSecAttrProtocolFTPAccount, "ftpa"), (kSecAttrProtocolHTTP, "http"),
            (kSecAttrProtocolIRC, "irc "), (kSecAttrProtocolNNTP, "nntp"), (kSecAttrProtocolPOP3, "pop3"),
            (kSecAttrProtocolSMTP, "smtp"), (kSecAttrProtocolIMAP, "imap"), (kSecAttrProtocolLDAP, "ldap"),
            (kSecAttrProtocolAppleTalk, "atlk"), (kSecAttrProtocolAFP, "afp "), (kSecAttrProtocolTelnet, "teln"),
            (kSecAttrProtocolFTPS, "ftps"), (kSecAttrProtocolHTTPProxy, "htpx"), (kSecAttrProtocolHTTPSProxy, "htsx"),
            (kSecAttrProtocolFTPProxy, "ftpx"), (kSecAttrProtocolSMB, "smb "), (kSecAttrProtocolRTSP, "rtsp"),
            (kSecAttrProtocolRTSPProxy, "rtsx"), (kSecAttrProtocolDAAP, "daap"), (kSecAttrProtocolEPPC, "eppc"),
            (kSecAttrProtocolIPP, "ipp "), (kSecAttrProtocolNNTPS, "ntps"), (kSecAttrProtocolLDAPS, "ldps"),
            (kSecAttrProtocolTelnetS, "tels"), (kSecAttrProtocolIMAPS, "imps"), (kSecAttrProtocolIRCS, "ircs"),
            (kSecAttrProtocolPOP3S, "pops"), (kSecAttrAuthenticationTypeNTLM, "ntlm"),
            (kSecAttrAuthenticationTypeMSN, "msna"), (kSecAttrAuthenticationTypeDPA, "dpaa"),
            (kSecAttrAuthenticationTypeRPA, "rpaa"), (kSecAttrAuthenticationTypeHTTPDigest, "httd"),
            (kSecAttrAuthenticationTypeHTMLForm, "form"), (kSecMatchSearchList, "m_SearchList"),
            (kSecMatchSubjectContains, "m_SubjectContains"), (kSecMatchSubjectStartsWith, "m_SubjectStartsWith"),
            (kSecMatchSubjectEndsWith, "m_SubjectEndsWith"), (kSecMatchSubjectWholeString, "m_SubjectWholeString"),
            (kSecMatchHostOrSubdomainOfHost, "m_HostOrSubdomainOfHost"),
            (kSecMatchCaseInsensitive, "m_CaseInsensitive"), (kSecMatchDiacriticInsensitive, "m_DiacriticInsensitive"),
            (kSecMatchWidthInsensitive, "m_WidthInsensitive"), (kSecMatchValidOnDate, "m_ValidOnDate"),
        ]
        for (constant, value) in table {
            #expect(constant as String == value)
        }
    }

    @Test func `algorithms have the names that keys know`() {
        let table: [(SecKeyAlgorithm, String)] = [
            (.rsaSignatureRaw, "algid:sign:RSA:raw"),
            (.rsaSignatureDigestPKCS1v15Raw, "algid:sign:RSA:digest-PKCS1v15"),
            (.rsaSignatureMessagePKCS1v15SHA256, "algid:sign:RSA:message-PKCS1v15:SHA256"),
            (.rsaSignatureDigestPSSSHA224, "algid:sign:RSA:digest-PSS:SHA224:SHA224:24"),
            (.rsaSignatureMessagePSSSHA512, "algid:sign:RSA:message-PSS:SHA512:SHA512:64"),
            (.ecdsaSignatureDigestX962, "algid:sign:ECDSA:digest-X962"),
            (.ecdsaSignatureMessageX962SHA256, "algid:sign:ECDSA:message-X962:SHA256"),
            (.ecdsaSignatureMessageRFC4754SHA256, "algid:sign:ECDSA:message-RFC4754:SHA256"),
            (.rsaEncryptionOAEPSHA1AESGCM, "algid:encrypt:RSA:OAEP:SHA1:AESGCM"),
            (
                .eciesEncryptionCofactorVariableIVX963SHA256AESGCM,
                "algid:encrypt:ECIES:ECDHC:KDFX963:SHA256:AESGCM-KDFIV"
            ),
            (.ecdhKeyExchangeStandard, "algid:keyexchange:ECDH"),
            (.ecdhKeyExchangeCofactorX963SHA384, "algid:keyexchange:ECDHC:KDFX963:SHA384"),
        ]
        for (algorithm, name) in table {
            #expect(algorithm.rawValue as String == name)
            #expect(algorithm == SecKeyAlgorithm(rawValue: name as CFString))
        }
        #expect(Set([SecKeyAlgorithm.rsaEncryptionRaw, .rsaEncryptionRaw, .rsaEncryptionPKCS1]).count == 2)
    }

    @Test func `an algorithm keeps its name when the string it came from changes`() {
        let name = NSMutableString(string: "algid:sign:RSA:raw")
        let algorithm = SecKeyAlgorithm(rawValue: name)
        name.append(":changed")
        #expect(algorithm == .rsaSignatureRaw)
    }

    @Test func `a constant is a key in every spelling of a dictionary`() {
        let strings: [String: Any] = [kSecAttrAccount as String: "a", kSecReturnData as String: true]
        let constants: [CFString: Any] = [kSecAttrAccount: "a", kSecReturnData: kCFBooleanTrue!]
        let objects: [String: AnyObject] = [String(kSecAttrAccount): "a" as AnyObject]
        for dictionary in [strings as CFDictionary, constants as CFDictionary, objects as CFDictionary] {
            #expect(dictionary[kSecAttrAccount] as? String == "a")
            #expect(dictionary["acct"] as? String == "a")
        }
        let hashable: [AnyHashable: Any] = ["acct": "a"]
        #expect(hashable[kSecAttrAccount] as? String == "a")
        #expect((constants as [AnyHashable: Any])["acct"] as? String == "a")
        #expect(Set<AnyHashable>(["acct", kSecAttrAccount]).count == 1)
        let keyed: [AnyHashable: Any] = [kSecAttrAccount: "a"]
        #expect(keyed["acct"] as? String == "a")
        #expect((keyed as NSDictionary)["acct"] as? String == "a")
    }
}

@Suite("Result codes and their messages")
struct ErrorCodesTests {
    /// Where the public codes lie.
    static let codes: [OSStatus] =
        [0, -4, -34, -36, -49, -50, -61, -108, -128, -909, -2070, -4960, -26267, -26275, -34018, -34020, -9809]
        + Array(-25320 ... -25291) + Array(-25245 ... -25240) + Array(-25264 ... -25256) + Array(-67904 ... -67585)

    @Test(arguments: codes)
    func `every code has a message`(code: OSStatus) throws {
        let message = try #require(SecCopyErrorMessageString(code, nil)) as String
        #expect(!message.hasPrefix("OSStatus"))
        #expect(message.hasSuffix("."))
    }

    @Test func `the messages that scripts match are macOS's`() {
        let table: [OSStatus: String] = [
            errSecSuccess: "No error.",
            errSecUnimplemented: "Function or operation not implemented.",
            errSecParam: "One or more parameters passed to a function were not valid.",
            errSecUserCanceled: "User canceled the operation.",
            errSecNotAvailable: "No keychain is available. You may need to restart your computer.",
            errSecAuthFailed: "The user name or passphrase you entered is not correct.",
            errSecDuplicateItem: "The specified item already exists in the keychain.",
            errSecItemNotFound: "The specified item could not be found in the keychain.",
            errSecNoSuchAttr: "The specified attribute does not exist.",
            errSecInteractionNotAllowed: "User interaction is not allowed.",
            errSecDecode: "Unable to decode the provided data.",
            errSecMissingEntitlement: "A required entitlement isn't present.",
        ]
        for (code, message) in table {
            #expect(SecCopyErrorMessageString(code, nil) as String? == message)
        }
    }

    @Test func `an unknown code is described by its number`() {
        #expect(SecCopyErrorMessageString(-12_345, nil) == "OSStatus -12345")
        #expect(SecCopyErrorMessageString(.max, nil) == "OSStatus 2147483647")
    }

    @Test func `no code is without a description, known or not`() {
        let codes = [OSStatus](-70_000...1000) + [.min, .max]
        #expect(codes.filter { SecCopyErrorMessageString($0, nil) == nil } == [])
    }

    @Test func `every code that a program meets has Apple's number`() {
        let table: [(OSStatus, OSStatus)] = [
            (errSecSuccess, 0), (errSecUnimplemented, -4), (errSecDiskFull, -34), (errSecIO, -36), (errSecOpWr, -49),
            (errSecParam, -50), (errSecWrPerm, -61), (errSecAllocate, -108), (errSecUserCanceled, -128),
            (errSecBadReq, -909), (errSecInternalComponent, -2070), (errSecCoreFoundationUnknown, -4960),
            (errSSLCrypto, -9809), (errSecACLNotSimple, -25240), (errSecPolicyNotFound, -25241),
            (errSecInvalidTrustSetting, -25242), (errSecNoAccessForItem, -25243), (errSecInvalidOwnerEdit, -25244),
            (errSecTrustNotAvailable, -25245), (errSecUnsupportedFormat, -25256), (errSecUnknownFormat, -25257),
            (errSecKeyIsSensitive, -25258), (errSecMultiplePrivKeys, -25259), (errSecPassphraseRequired, -25260),
            (errSecInvalidPasswordRef, -25261), (errSecInvalidTrustSettings, -25262), (errSecNoTrustSettings, -25263),
            (errSecPkcs12VerifyFailure, -25264), (errSecNotAvailable, -25291), (errSecReadOnly, -25292),
            (errSecAuthFailed, -25293), (errSecNoSuchKeychain, -25294), (errSecInvalidKeychain, -25295),
            (errSecDuplicateKeychain, -25296), (errSecDuplicateCallback, -25297), (errSecInvalidCallback, -25298),
            (errSecDuplicateItem, -25299), (errSecItemNotFound, -25300), (errSecBufferTooSmall, -25301),
            (errSecDataTooLarge, -25302), (errSecNoSuchAttr, -25303), (errSecInvalidItemRef, -25304),
            (errSecInvalidSearchRef, -25305), (errSecNoSuchClass, -25306), (errSecNoDefaultKeychain, -25307),
            (errSecInteractionNotAllowed, -25308), (errSecReadOnlyAttr, -25309), (errSecWrongSecVersion, -25310),
            (errSecKeySizeNotAllowed, -25311), (errSecNoStorageModule, -25312), (errSecNoCertificateModule, -25313),
            (errSecNoPolicyModule, -25314), (errSecInteractionRequired, -25315), (errSecDataNotAvailable, -25316),
            (errSecDataNotModifiable, -25317), (errSecCreateChainFailed, -25318), (errSecInvalidPrefsDomain, -25319),
            (errSecInDarkWake, -25320), (errSecNotSigner, -26267), (errSecDecode, -26275),
            (errSecMissingEntitlement, -34018), (errSecRestrictedAPI, -34020),
        ]
        for (code, number) in table { #expect(code == number) }
        #expect(Set(table.map(\.0)).count == table.count)
    }

    @Test func `codes of the long list are where the list has them`() {
        #expect(errSecServiceNotAvailable == -67585)
        #expect(errSecHostNameMismatch == -67602)
        #expect(errSecOCSPResponseNonceMismatch == -67646)
        #expect(errSecNotInitialized == -67667)
        #expect(errSecModuleNotLoaded == -67718)
        #expect(errSecInvalidAttributeKey == -67748)
        #expect(errSecMissingAttributeWrappedKeyFormat == -67805)
        #expect(errSecVerifyFailed == -67808)
        #expect(errSecInvaldCRLAuthority == -67827)
        #expect(errSecInvalidTupleCredendtials == -67852)
        #expect(errSecTimestampRevocationNotification == -67898)
        #expect(errSecMissingQualifiedCertStatement == -67904)
    }
}

@Suite("Random bytes")
struct RandomTests {
    @Test(arguments: [0, 1, 32, 256, 257, 100_000])
    func `the whole buffer is filled, and nothing beyond it`(count: Int) {
        var bytes = [UInt8](repeating: 0, count: count + 16)
        #expect(SecRandomCopyBytes(kSecRandomDefault, count, &bytes) == errSecSuccess)
        #expect(bytes.suffix(16).allSatisfy { $0 == 0 })
        if count >= 32 { #expect(bytes[(count - 16)..<count].contains { $0 != 0 }) }
    }

    @Test func `a negative count is refused`() {
        var byte: UInt8 = 7
        #expect(SecRandomCopyBytes(kSecRandomDefault, -1, &byte) == errSecParam)
        #expect(byte == 7)
    }
}
