public import CoreFoundationAliases

// MARK: System

/// No error.
public var errSecSuccess: OSStatus { 0 }

/// Function or operation not implemented.
public var errSecUnimplemented: OSStatus { -4 }

/// The disk is full.
public var errSecDiskFull: OSStatus { -34 }

/// An earlier name of `errSecDiskFull`.
public var errSecDskFull: OSStatus { errSecDiskFull }

/// Reading or writing failed.
public var errSecIO: OSStatus { -36 }

/// The file is already open for writing.
public var errSecOpWr: OSStatus { -49 }

/// One or more parameters passed to a function were not valid.
public var errSecParam: OSStatus { -50 }

/// There is no permission to write.
public var errSecWrPerm: OSStatus { -61 }

/// There is not enough memory.
public var errSecAllocate: OSStatus { -108 }

/// User canceled the operation.
public var errSecUserCanceled: OSStatus { -128 }

/// The request is malformed or does not fit the present state.
public var errSecBadReq: OSStatus { -909 }

/// An internal component failed.
public var errSecInternalComponent: OSStatus { -2070 }

/// Core Foundation failed for an unknown reason.
public var errSecCoreFoundationUnknown: OSStatus { -4960 }

// MARK: Keychains and their items

/// No keychain is available. You may need to restart your computer.
public var errSecNotAvailable: OSStatus { -25291 }

/// The keychain is read-only.
public var errSecReadOnly: OSStatus { -25292 }

/// The user name or passphrase you entered is not correct.
public var errSecAuthFailed: OSStatus { -25293 }

/// There is no such keychain.
public var errSecNoSuchKeychain: OSStatus { -25294 }

/// The file is not a keychain.
public var errSecInvalidKeychain: OSStatus { -25295 }

/// There is already a keychain of that name.
public var errSecDuplicateKeychain: OSStatus { -25296 }

/// The callback is already registered.
public var errSecDuplicateCallback: OSStatus { -25297 }

/// The callback is not registered.
public var errSecInvalidCallback: OSStatus { -25298 }

/// The specified item already exists in the keychain.
public var errSecDuplicateItem: OSStatus { -25299 }

/// The specified item could not be found in the keychain.
public var errSecItemNotFound: OSStatus { -25300 }

/// The buffer is too small for the item.
public var errSecBufferTooSmall: OSStatus { -25301 }

/// The item is too large.
public var errSecDataTooLarge: OSStatus { -25302 }

/// The specified attribute does not exist.
public var errSecNoSuchAttr: OSStatus { -25303 }

/// The item reference is not valid; the item may have been deleted.
public var errSecInvalidItemRef: OSStatus { -25304 }

/// The search reference is not valid.
public var errSecInvalidSearchRef: OSStatus { -25305 }

/// The keychain item class does not exist.
public var errSecNoSuchClass: OSStatus { -25306 }

/// There is no default keychain.
public var errSecNoDefaultKeychain: OSStatus { -25307 }

/// User interaction is not allowed.
public var errSecInteractionNotAllowed: OSStatus { -25308 }

/// The attribute cannot be changed.
public var errSecReadOnlyAttr: OSStatus { -25309 }

/// The keychain was made by another version of the software.
public var errSecWrongSecVersion: OSStatus { -25310 }

/// The key size is not allowed.
public var errSecKeySizeNotAllowed: OSStatus { -25311 }

/// The storage component could not be loaded.
public var errSecNoStorageModule: OSStatus { -25312 }

/// The certificate component could not be loaded.
public var errSecNoCertificateModule: OSStatus { -25313 }

/// The policy component could not be loaded.
public var errSecNoPolicyModule: OSStatus { -25314 }

/// The user must be asked, which is not possible now.
public var errSecInteractionRequired: OSStatus { -25315 }

/// The item's data cannot be read.
public var errSecDataNotAvailable: OSStatus { -25316 }

/// The item's data cannot be changed.
public var errSecDataNotModifiable: OSStatus { -25317 }

/// A certificate needed to complete the chain is missing.
public var errSecCreateChainFailed: OSStatus { -25318 }

/// The preferences domain is not valid.
public var errSecInvalidPrefsDomain: OSStatus { -25319 }

/// The machine is in dark wake, where no one can be asked.
public var errSecInDarkWake: OSStatus { -25320 }

// MARK: Access, trust, import and export

/// The access control list is not in its simple form.
public var errSecACLNotSimple: OSStatus { -25240 }

/// There is no such policy.
public var errSecPolicyNotFound: OSStatus { -25241 }

/// The trust setting is not valid.
public var errSecInvalidTrustSetting: OSStatus { -25242 }

/// The item has no access control.
public var errSecNoAccessForItem: OSStatus { -25243 }

/// The item's owner cannot be changed in this way.
public var errSecInvalidOwnerEdit: OSStatus { -25244 }

/// There is no trust result yet.
public var errSecTrustNotAvailable: OSStatus { -25245 }

/// The format is not supported.
public var errSecUnsupportedFormat: OSStatus { -25256 }

/// The format is unknown.
public var errSecUnknownFormat: OSStatus { -25257 }

/// The key can be exported only encrypted.
public var errSecKeyIsSensitive: OSStatus { -25258 }

/// There is more than one private key.
public var errSecMultiplePrivKeys: OSStatus { -25259 }

/// A passphrase is needed.
public var errSecPassphraseRequired: OSStatus { -25260 }

/// The password reference is not valid.
public var errSecInvalidPasswordRef: OSStatus { -25261 }

/// The trust settings are damaged.
public var errSecInvalidTrustSettings: OSStatus { -25262 }

/// There are no trust settings.
public var errSecNoTrustSettings: OSStatus { -25263 }

/// The PKCS #12 file cannot be verified; the password may be wrong.
public var errSecPkcs12VerifyFailure: OSStatus { -25264 }

// MARK: Certificates and entitlements

/// A required entitlement isn't present.
public var errSecMissingEntitlement: OSStatus { -34018 }

/// This program may not use the function.
public var errSecRestrictedAPI: OSStatus { -34020 }

/// The certificate was not signed by its alleged issuer.
public var errSecNotSigner: OSStatus { -26267 }

/// Unable to decode the provided data.
public var errSecDecode: OSStatus { -26275 }

// MARK: Secure Transport, as far as key operations return them

/// The TLS protocol was violated.
public var errSSLProtocol: OSStatus { -9800 }

/// No common TLS parameters were found.
public var errSSLNegotiation: OSStatus { -9801 }

/// The peer sent a fatal alert.
public var errSSLFatalAlert: OSStatus { -9802 }

/// The operation would wait.
public var errSSLWouldBlock: OSStatus { -9803 }

/// The TLS session is unknown.
public var errSSLSessionNotFound: OSStatus { -9804 }

/// The connection was closed.
public var errSSLClosedGraceful: OSStatus { -9805 }

/// The connection was cut off.
public var errSSLClosedAbort: OSStatus { -9806 }

/// The certificate chain is not valid.
public var errSSLXCertChainInvalid: OSStatus { -9807 }

/// The certificate is malformed.
public var errSSLBadCert: OSStatus { -9808 }

/// A cryptographic operation failed.
public var errSSLCrypto: OSStatus { -9809 }

/// An internal TLS error occurred.
public var errSSLInternal: OSStatus { -9810 }
