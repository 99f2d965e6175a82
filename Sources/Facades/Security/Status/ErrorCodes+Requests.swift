public import CoreFoundationAliases

// Operations, certificate requests, databases and time stamps: −67806 to −67904.

/// A staged operation is under way.
public var errSecStagedOperationInProgress: OSStatus { -67806 }

/// No staged operation has been started.
public var errSecStagedOperationNotStarted: OSStatus { -67807 }

/// The signature does not verify.
public var errSecVerifyFailed: OSStatus { -67808 }

/// The size of the result is not known.
public var errSecQuerySizeUnknown: OSStatus { -67809 }

/// The block size does not fit.
public var errSecBlockSizeMismatch: OSStatus { -67810 }

/// The public key contradicts itself.
public var errSecPublicKeyInconsistent: OSStatus { -67811 }

/// The device could not be verified.
public var errSecDeviceVerifyFailed: OSStatus { -67812 }

/// The login name is not valid.
public var errSecInvalidLoginName: OSStatus { -67813 }

/// You are already logged in.
public var errSecAlreadyLoggedIn: OSStatus { -67814 }

/// The digest algorithm is not valid.
public var errSecInvalidDigestAlgorithm: OSStatus { -67815 }

/// The group of revocation lists is not valid.
public var errSecInvalidCRLGroup: OSStatus { -67816 }

/// The certificate cannot be used for this.
public var errSecCertificateCannotOperate: OSStatus { -67817 }

/// The certificate has expired.
public var errSecCertificateExpired: OSStatus { -67818 }

/// The certificate is not valid yet.
public var errSecCertificateNotValidYet: OSStatus { -67819 }

/// The certificate was revoked.
public var errSecCertificateRevoked: OSStatus { -67820 }

/// The certificate is suspended.
public var errSecCertificateSuspended: OSStatus { -67821 }

/// The credentials do not suffice.
public var errSecInsufficientCredentials: OSStatus { -67822 }

/// The action is not valid.
public var errSecInvalidAction: OSStatus { -67823 }

/// The authority is not valid.
public var errSecInvalidAuthority: OSStatus { -67824 }

/// The action could not be verified.
public var errSecVerifyActionFailed: OSStatus { -67825 }

/// The certificate authority is not valid.
public var errSecInvalidCertAuthority: OSStatus { -67826 }

/// The authority of the revocation list is not valid.
public var errSecInvalidCRLAuthority: OSStatus { -67827 }

/// An earlier, misspelt name of `errSecInvalidCRLAuthority`.
public var errSecInvaldCRLAuthority: OSStatus { errSecInvalidCRLAuthority }

/// The encoding of the revocation list is not valid.
public var errSecInvalidCRLEncoding: OSStatus { -67828 }

/// The type of the revocation list is not valid.
public var errSecInvalidCRLType: OSStatus { -67829 }

/// The revocation list is not valid.
public var errSecInvalidCRL: OSStatus { -67830 }

/// The form's type is not valid.
public var errSecInvalidFormType: OSStatus { -67831 }

/// The ID is not valid.
public var errSecInvalidID: OSStatus { -67832 }

/// The identifier is not valid.
public var errSecInvalidIdentifier: OSStatus { -67833 }

/// The index is not valid.
public var errSecInvalidIndex: OSStatus { -67834 }

/// The policy identifiers are not valid.
public var errSecInvalidPolicyIdentifiers: OSStatus { -67835 }

/// The time is not valid.
public var errSecInvalidTimeString: OSStatus { -67836 }

/// The reason is not valid.
public var errSecInvalidReason: OSStatus { -67837 }

/// The request's inputs are not valid.
public var errSecInvalidRequestInputs: OSStatus { -67838 }

/// The response vector is not valid.
public var errSecInvalidResponseVector: OSStatus { -67839 }

/// The stop-on policy is not valid.
public var errSecInvalidStopOnPolicy: OSStatus { -67840 }

/// The tuple is not valid.
public var errSecInvalidTuple: OSStatus { -67841 }

/// Only one value is supported.
public var errSecMultipleValuesUnsupported: OSStatus { -67842 }

/// The certificate is not trusted.
public var errSecNotTrusted: OSStatus { -67843 }

/// There is no default authority.
public var errSecNoDefaultAuthority: OSStatus { -67844 }

/// The form was rejected.
public var errSecRejectedForm: OSStatus { -67845 }

/// The request was lost.
public var errSecRequestLost: OSStatus { -67846 }

/// The request was rejected.
public var errSecRequestRejected: OSStatus { -67847 }

/// The address type is not supported.
public var errSecUnsupportedAddressType: OSStatus { -67848 }

/// The service is not supported.
public var errSecUnsupportedService: OSStatus { -67849 }

/// The group of tuples is not valid.
public var errSecInvalidTupleGroup: OSStatus { -67850 }

/// The base access control lists are not valid.
public var errSecInvalidBaseACLs: OSStatus { -67851 }

/// The tuple's credentials are not valid.
public var errSecInvalidTupleCredentials: OSStatus { -67852 }

/// An earlier, misspelt name of `errSecInvalidTupleCredentials`.
public var errSecInvalidTupleCredendtials: OSStatus { errSecInvalidTupleCredentials }

/// The encoding is not valid.
public var errSecInvalidEncoding: OSStatus { -67853 }

/// The validity period is not valid.
public var errSecInvalidValidityPeriod: OSStatus { -67854 }

/// The requestor is not valid.
public var errSecInvalidRequestor: OSStatus { -67855 }

/// The request's descriptor is not valid.
public var errSecRequestDescriptor: OSStatus { -67856 }

/// The bundle's information is not valid.
public var errSecInvalidBundleInfo: OSStatus { -67857 }

/// The index of the revocation list is not valid.
public var errSecInvalidCRLIndex: OSStatus { -67858 }

/// No field has a value.
public var errSecNoFieldValues: OSStatus { -67859 }

/// The field's format is not supported.
public var errSecUnsupportedFieldFormat: OSStatus { -67860 }

/// The index information is not supported.
public var errSecUnsupportedIndexInfo: OSStatus { -67861 }

/// The locality is not supported.
public var errSecUnsupportedLocality: OSStatus { -67862 }

/// The number of attributes is not supported.
public var errSecUnsupportedNumAttributes: OSStatus { -67863 }

/// The number of indexes is not supported.
public var errSecUnsupportedNumIndexes: OSStatus { -67864 }

/// The number of record types is not supported.
public var errSecUnsupportedNumRecordTypes: OSStatus { -67865 }

/// A field was given more than once.
public var errSecFieldSpecifiedMultiple: OSStatus { -67866 }

/// The field's format does not fit.
public var errSecIncompatibleFieldFormat: OSStatus { -67867 }

/// The parsing module is not valid.
public var errSecInvalidParsingModule: OSStatus { -67868 }

/// The database is locked.
public var errSecDatabaseLocked: OSStatus { -67869 }

/// The data store is open.
public var errSecDatastoreIsOpen: OSStatus { -67870 }

/// A value is missing.
public var errSecMissingValue: OSStatus { -67871 }

/// The query's limits are not supported.
public var errSecUnsupportedQueryLimits: OSStatus { -67872 }

/// The number of conditions is not supported.
public var errSecUnsupportedNumSelectionPreds: OSStatus { -67873 }

/// The operator is not supported.
public var errSecUnsupportedOperator: OSStatus { -67874 }

/// The database's location is not valid.
public var errSecInvalidDBLocation: OSStatus { -67875 }

/// The access request is not valid.
public var errSecInvalidAccessRequest: OSStatus { -67876 }

/// The index information is not valid.
public var errSecInvalidIndexInfo: OSStatus { -67877 }

/// The new owner is not valid.
public var errSecInvalidNewOwner: OSStatus { -67878 }

/// The kind of change is not valid.
public var errSecInvalidModifyMode: OSStatus { -67879 }

/// A required extension is missing.
public var errSecMissingRequiredExtension: OSStatus { -67880 }

/// The extended key usage is not marked critical.
public var errSecExtendedKeyUsageNotCritical: OSStatus { -67881 }

/// There is no time stamp.
public var errSecTimestampMissing: OSStatus { -67882 }

/// The time stamp is not valid.
public var errSecTimestampInvalid: OSStatus { -67883 }

/// The time stamp is not trusted.
public var errSecTimestampNotTrusted: OSStatus { -67884 }

/// The time stamp service is not available.
public var errSecTimestampServiceNotAvailable: OSStatus { -67885 }

/// The time stamp's algorithm is unknown or not supported.
public var errSecTimestampBadAlg: OSStatus { -67886 }

/// The time stamp request is not allowed.
public var errSecTimestampBadRequest: OSStatus { -67887 }

/// The data for the time stamp has the wrong format.
public var errSecTimestampBadDataFormat: OSStatus { -67888 }

/// The time stamp authority does not know the time.
public var errSecTimestampTimeNotAvailable: OSStatus { -67889 }

/// The time stamp authority does not support the policy.
public var errSecTimestampUnacceptedPolicy: OSStatus { -67890 }

/// The time stamp authority does not support the extension.
public var errSecTimestampUnacceptedExtension: OSStatus { -67891 }

/// The additional information for the time stamp is not available.
public var errSecTimestampAddInfoNotAvailable: OSStatus { -67892 }

/// The time stamp authority failed.
public var errSecTimestampSystemFailure: OSStatus { -67893 }

/// The signing time is missing.
public var errSecSigningTimeMissing: OSStatus { -67894 }

/// The time stamp request was rejected.
public var errSecTimestampRejection: OSStatus { -67895 }

/// The time stamp request waits.
public var errSecTimestampWaiting: OSStatus { -67896 }

/// A time stamp authority is about to be revoked.
public var errSecTimestampRevocationWarning: OSStatus { -67897 }

/// A time stamp authority was revoked.
public var errSecTimestampRevocationNotification: OSStatus { -67898 }

/// The certificate's policy is not allowed.
public var errSecCertificatePolicyNotAllowed: OSStatus { -67899 }

/// The certificate's name is not allowed.
public var errSecCertificateNameNotAllowed: OSStatus { -67900 }

/// The certificate is valid for too long.
public var errSecCertificateValidityPeriodTooLong: OSStatus { -67901 }

/// The certificate is an authority's, where another was expected.
public var errSecCertificateIsCA: OSStatus { -67902 }

/// An extension of the certificate occurs twice.
public var errSecCertificateDuplicateExtension: OSStatus { -67903 }

/// The certificate lacks a statement of qualified certificates.
public var errSecMissingQualifiedCertStatement: OSStatus { -67904 }
