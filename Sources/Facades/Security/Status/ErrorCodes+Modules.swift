public import CoreFoundationAliases

// Modules, keys and the attributes of cryptographic contexts: −67667 to −67805.

/// The library is not initialised.
public var errSecNotInitialized: OSStatus { -67667 }

/// The handle is for another kind of service.
public var errSecInvalidHandleUsage: OSStatus { -67668 }

/// The caller is not among those allowed.
public var errSecPVCReferentNotFound: OSStatus { -67669 }

/// A function lies outside the verified module.
public var errSecFunctionIntegrityFail: OSStatus { -67670 }

/// An internal error occurred.
public var errSecInternalError: OSStatus { -67671 }

/// Memory could not be obtained or used.
public var errSecMemoryError: OSStatus { -67672 }

/// The data is not valid.
public var errSecInvalidData: OSStatus { -67673 }

/// The directory of modules had an error.
public var errSecMDSError: OSStatus { -67674 }

/// A pointer is not valid.
public var errSecInvalidPointer: OSStatus { -67675 }

/// The self-check failed.
public var errSecSelfCheckFailed: OSStatus { -67676 }

/// The function failed.
public var errSecFunctionFailed: OSStatus { -67677 }

/// The module's manifest could not be verified.
public var errSecModuleManifestVerifyFailed: OSStatus { -67678 }

/// The unique identifier is not valid.
public var errSecInvalidGUID: OSStatus { -67679 }

/// The handle is not valid.
public var errSecInvalidHandle: OSStatus { -67680 }

/// The list of databases is not valid.
public var errSecInvalidDBList: OSStatus { -67681 }

/// The pass-through identifier is not valid.
public var errSecInvalidPassthroughID: OSStatus { -67682 }

/// The network address is not valid.
public var errSecInvalidNetworkAddress: OSStatus { -67683 }

/// The revocation list is already signed.
public var errSecCRLAlreadySigned: OSStatus { -67684 }

/// The number of fields is wrong.
public var errSecInvalidNumberOfFields: OSStatus { -67685 }

/// Verification failed.
public var errSecVerificationFailure: OSStatus { -67686 }

/// The tag is unknown.
public var errSecUnknownTag: OSStatus { -67687 }

/// The signature is not valid.
public var errSecInvalidSignature: OSStatus { -67688 }

/// The name is not valid.
public var errSecInvalidName: OSStatus { -67689 }

/// The certificate reference is not valid.
public var errSecInvalidCertificateRef: OSStatus { -67690 }

/// The group of certificates is not valid.
public var errSecInvalidCertificateGroup: OSStatus { -67691 }

/// There is no such tag.
public var errSecTagNotFound: OSStatus { -67692 }

/// The query is not valid.
public var errSecInvalidQuery: OSStatus { -67693 }

/// The value is not valid.
public var errSecInvalidValue: OSStatus { -67694 }

/// A callback failed.
public var errSecCallbackFailed: OSStatus { -67695 }

/// The access control entry could not be deleted.
public var errSecACLDeleteFailed: OSStatus { -67696 }

/// The access control entry could not be replaced.
public var errSecACLReplaceFailed: OSStatus { -67697 }

/// The access control entry could not be added.
public var errSecACLAddFailed: OSStatus { -67698 }

/// The access control entry could not be changed.
public var errSecACLChangeFailed: OSStatus { -67699 }

/// The credentials are not valid.
public var errSecInvalidAccessCredentials: OSStatus { -67700 }

/// The record is not valid.
public var errSecInvalidRecord: OSStatus { -67701 }

/// The access control list is not valid.
public var errSecInvalidACL: OSStatus { -67702 }

/// The sample in the credentials is not valid.
public var errSecInvalidSampleValue: OSStatus { -67703 }

/// The versions do not fit together.
public var errSecIncompatibleVersion: OSStatus { -67704 }

/// The privilege was not granted.
public var errSecPrivilegeNotGranted: OSStatus { -67705 }

/// The scope is not valid.
public var errSecInvalidScope: OSStatus { -67706 }

/// Caller checking is already configured.
public var errSecPVCAlreadyConfigured: OSStatus { -67707 }

/// The caller checking mode is not valid.
public var errSecInvalidPVC: OSStatus { -67708 }

/// A module manager could not be loaded.
public var errSecEMMLoadFailed: OSStatus { -67709 }

/// A module manager could not be unloaded.
public var errSecEMMUnloadFailed: OSStatus { -67710 }

/// An add-in could not be loaded.
public var errSecAddinLoadFailed: OSStatus { -67711 }

/// The key reference is not valid.
public var errSecInvalidKeyRef: OSStatus { -67712 }

/// The key hierarchy is not valid.
public var errSecInvalidKeyHierarchy: OSStatus { -67713 }

/// An add-in could not be unloaded.
public var errSecAddinUnloadFailed: OSStatus { -67714 }

/// A library could not be found.
public var errSecLibraryReferenceNotFound: OSStatus { -67715 }

/// An add-in's table of functions is not valid.
public var errSecInvalidAddinFunctionTable: OSStatus { -67716 }

/// The service mask is not valid.
public var errSecInvalidServiceMask: OSStatus { -67717 }

/// The module is not loaded.
public var errSecModuleNotLoaded: OSStatus { -67718 }

/// The subservice identifier is not valid.
public var errSecInvalidSubServiceID: OSStatus { -67719 }

/// The context lacks the attribute.
public var errSecAttributeNotInContext: OSStatus { -67720 }

/// The module manager could not be initialised.
public var errSecModuleManagerInitializeFailed: OSStatus { -67721 }

/// The module manager could not be found.
public var errSecModuleManagerNotFound: OSStatus { -67722 }

/// There is no callback for the event.
public var errSecEventNotificationCallbackNotFound: OSStatus { -67723 }

/// The input has the wrong length.
public var errSecInputLengthError: OSStatus { -67724 }

/// The output has the wrong length.
public var errSecOutputLengthError: OSStatus { -67725 }

/// The privilege is not supported.
public var errSecPrivilegeNotSupported: OSStatus { -67726 }

/// The device had an error.
public var errSecDeviceError: OSStatus { -67727 }

/// The handle is in use.
public var errSecAttachHandleBusy: OSStatus { -67728 }

/// You are not logged in.
public var errSecNotLoggedIn: OSStatus { -67729 }

/// The key is for another algorithm.
public var errSecAlgorithmMismatch: OSStatus { -67730 }

/// The key is not for this use.
public var errSecKeyUsageIncorrect: OSStatus { -67731 }

/// The key's data is of the wrong type.
public var errSecKeyBlobTypeIncorrect: OSStatus { -67732 }

/// The key's header contradicts itself.
public var errSecKeyHeaderInconsistent: OSStatus { -67733 }

/// The key format is not supported.
public var errSecUnsupportedKeyFormat: OSStatus { -67734 }

/// The key size is not supported.
public var errSecUnsupportedKeySize: OSStatus { -67735 }

/// The key usage mask is not valid.
public var errSecInvalidKeyUsageMask: OSStatus { -67736 }

/// The key usage mask is not supported.
public var errSecUnsupportedKeyUsageMask: OSStatus { -67737 }

/// The key attribute mask is not valid.
public var errSecInvalidKeyAttributeMask: OSStatus { -67738 }

/// The key attribute mask is not supported.
public var errSecUnsupportedKeyAttributeMask: OSStatus { -67739 }

/// The key label is not valid.
public var errSecInvalidKeyLabel: OSStatus { -67740 }

/// The key label is not supported.
public var errSecUnsupportedKeyLabel: OSStatus { -67741 }

/// The key format is not valid.
public var errSecInvalidKeyFormat: OSStatus { -67742 }

/// Vectors of buffers are not supported.
public var errSecUnsupportedVectorOfBuffers: OSStatus { -67743 }

/// The input vector is not valid.
public var errSecInvalidInputVector: OSStatus { -67744 }

/// The output vector is not valid.
public var errSecInvalidOutputVector: OSStatus { -67745 }

/// The context is not valid.
public var errSecInvalidContext: OSStatus { -67746 }

/// The algorithm is not valid.
public var errSecInvalidAlgorithm: OSStatus { -67747 }

/// The key is not valid.
public var errSecInvalidAttributeKey: OSStatus { -67748 }

/// The key is missing.
public var errSecMissingAttributeKey: OSStatus { -67749 }

/// The initialisation vector is not valid.
public var errSecInvalidAttributeInitVector: OSStatus { -67750 }

/// The initialisation vector is missing.
public var errSecMissingAttributeInitVector: OSStatus { -67751 }

/// The salt is not valid.
public var errSecInvalidAttributeSalt: OSStatus { -67752 }

/// The salt is missing.
public var errSecMissingAttributeSalt: OSStatus { -67753 }

/// The padding is not valid.
public var errSecInvalidAttributePadding: OSStatus { -67754 }

/// The padding is missing.
public var errSecMissingAttributePadding: OSStatus { -67755 }

/// The random data is not valid.
public var errSecInvalidAttributeRandom: OSStatus { -67756 }

/// The random data is missing.
public var errSecMissingAttributeRandom: OSStatus { -67757 }

/// The seed is not valid.
public var errSecInvalidAttributeSeed: OSStatus { -67758 }

/// The seed is missing.
public var errSecMissingAttributeSeed: OSStatus { -67759 }

/// The passphrase is not valid.
public var errSecInvalidAttributePassphrase: OSStatus { -67760 }

/// The passphrase is missing.
public var errSecMissingAttributePassphrase: OSStatus { -67761 }

/// The key length is not valid.
public var errSecInvalidAttributeKeyLength: OSStatus { -67762 }

/// The key length is missing.
public var errSecMissingAttributeKeyLength: OSStatus { -67763 }

/// The block size is not valid.
public var errSecInvalidAttributeBlockSize: OSStatus { -67764 }

/// The block size is missing.
public var errSecMissingAttributeBlockSize: OSStatus { -67765 }

/// The output size is not valid.
public var errSecInvalidAttributeOutputSize: OSStatus { -67766 }

/// The output size is missing.
public var errSecMissingAttributeOutputSize: OSStatus { -67767 }

/// The number of rounds is not valid.
public var errSecInvalidAttributeRounds: OSStatus { -67768 }

/// The number of rounds is missing.
public var errSecMissingAttributeRounds: OSStatus { -67769 }

/// The set of algorithm parameters is not valid.
public var errSecInvalidAlgorithmParms: OSStatus { -67770 }

/// The set of algorithm parameters is missing.
public var errSecMissingAlgorithmParms: OSStatus { -67771 }

/// The label is not valid.
public var errSecInvalidAttributeLabel: OSStatus { -67772 }

/// The label is missing.
public var errSecMissingAttributeLabel: OSStatus { -67773 }

/// The key type is not valid.
public var errSecInvalidAttributeKeyType: OSStatus { -67774 }

/// The key type is missing.
public var errSecMissingAttributeKeyType: OSStatus { -67775 }

/// The mode is not valid.
public var errSecInvalidAttributeMode: OSStatus { -67776 }

/// The mode is missing.
public var errSecMissingAttributeMode: OSStatus { -67777 }

/// The number of effective bits is not valid.
public var errSecInvalidAttributeEffectiveBits: OSStatus { -67778 }

/// The number of effective bits is missing.
public var errSecMissingAttributeEffectiveBits: OSStatus { -67779 }

/// The start date is not valid.
public var errSecInvalidAttributeStartDate: OSStatus { -67780 }

/// The start date is missing.
public var errSecMissingAttributeStartDate: OSStatus { -67781 }

/// The end date is not valid.
public var errSecInvalidAttributeEndDate: OSStatus { -67782 }

/// The end date is missing.
public var errSecMissingAttributeEndDate: OSStatus { -67783 }

/// The version is not valid.
public var errSecInvalidAttributeVersion: OSStatus { -67784 }

/// The version is missing.
public var errSecMissingAttributeVersion: OSStatus { -67785 }

/// The prime is not valid.
public var errSecInvalidAttributePrime: OSStatus { -67786 }

/// The prime is missing.
public var errSecMissingAttributePrime: OSStatus { -67787 }

/// The base is not valid.
public var errSecInvalidAttributeBase: OSStatus { -67788 }

/// The base is missing.
public var errSecMissingAttributeBase: OSStatus { -67789 }

/// The subprime is not valid.
public var errSecInvalidAttributeSubprime: OSStatus { -67790 }

/// The subprime is missing.
public var errSecMissingAttributeSubprime: OSStatus { -67791 }

/// The iteration count is not valid.
public var errSecInvalidAttributeIterationCount: OSStatus { -67792 }

/// The iteration count is missing.
public var errSecMissingAttributeIterationCount: OSStatus { -67793 }

/// The database handle is not valid.
public var errSecInvalidAttributeDLDBHandle: OSStatus { -67794 }

/// The database handle is missing.
public var errSecMissingAttributeDLDBHandle: OSStatus { -67795 }

/// The set of access credentials is not valid.
public var errSecInvalidAttributeAccessCredentials: OSStatus { -67796 }

/// The set of access credentials is missing.
public var errSecMissingAttributeAccessCredentials: OSStatus { -67797 }

/// The public key format is not valid.
public var errSecInvalidAttributePublicKeyFormat: OSStatus { -67798 }

/// The public key format is missing.
public var errSecMissingAttributePublicKeyFormat: OSStatus { -67799 }

/// The private key format is not valid.
public var errSecInvalidAttributePrivateKeyFormat: OSStatus { -67800 }

/// The private key format is missing.
public var errSecMissingAttributePrivateKeyFormat: OSStatus { -67801 }

/// The symmetric key format is not valid.
public var errSecInvalidAttributeSymmetricKeyFormat: OSStatus { -67802 }

/// The symmetric key format is missing.
public var errSecMissingAttributeSymmetricKeyFormat: OSStatus { -67803 }

/// The wrapped key format is not valid.
public var errSecInvalidAttributeWrappedKeyFormat: OSStatus { -67804 }

/// The wrapped key format is missing.
public var errSecMissingAttributeWrappedKeyFormat: OSStatus { -67805 }
