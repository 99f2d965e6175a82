/// Files of keys and certificates.
#ifndef SECURITY_SEC_IMPORT_EXPORT_H
#define SECURITY_SEC_IMPORT_EXPORT_H

#include <Security/SecBase.h>

#ifdef SECURITY_CAN_COMPILE

#include <Security/SecImportExportConstants.h>

CF_EXTERN_C_BEGIN
CF_ASSUME_NONNULL_BEGIN

/// The version of `SecItemImportExportKeyParameters`.
#define SEC_KEY_IMPORT_EXPORT_PARAMS_VERSION 0

/// What an import or export of keys needs to know.
typedef struct {
    uint32_t version;
    SecKeyImportExportFlags flags;
    CFTypeRef _Nullable passphrase;
    CFStringRef _Nullable alertTitle;
    CFStringRef _Nullable alertPrompt;
    SecAccessRef _Nullable accessRef;
    CFArrayRef _Nullable keyUsage;
    CFArrayRef _Nullable keyAttributes;
} SecItemImportExportKeyParameters;

/// Reads the identities and certificates of a PKCS #12 file.
///
/// - `options`: `kSecImportExportPassphrase`.
/// - `items`: receives an array of dictionaries with `kSecImportItem…` keys, which the caller owns.
CF_EXPORT OSStatus SecPKCS12Import(CFDataRef pkcs12_data, CFDictionaryRef options,
                                   CFArrayRef _Nullable *_Nonnull CF_RETURNS_RETAINED items);

/// Writes keys and certificates in a form that other programs read. Of `keyParams` the passphrase counts.
CF_EXPORT OSStatus SecItemExport(CFTypeRef secItemOrArray, SecExternalFormat outputFormat,
                                 SecItemImportExportFlags flags,
                                 const SecItemImportExportKeyParameters *_Nullable keyParams,
                                 CFDataRef _Nullable *_Nonnull CF_RETURNS_RETAINED exportedData);

/// Reads keys and certificates that other programs wrote. Of `keyParams` the passphrase counts, and
/// `kSecKeyImportOnlyOne`; nothing is stored, and `importKeychain` is NULL.
CF_EXPORT OSStatus SecItemImport(CFDataRef importedData, CFStringRef _Nullable fileNameOrExtension,
                                 SecExternalFormat *_Nullable inputFormat, SecExternalItemType *_Nullable itemType,
                                 SecItemImportExportFlags flags,
                                 const SecItemImportExportKeyParameters *_Nullable keyParams,
                                 SecKeychainRef _Nullable importKeychain,
                                 CFArrayRef _Nullable *_Nullable CF_RETURNS_RETAINED outItems);

CF_ASSUME_NONNULL_END
CF_EXTERN_C_END

#endif
#endif
