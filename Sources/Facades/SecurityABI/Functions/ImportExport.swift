import Foundation
public import Security

@c(SecPKCS12Import)
public func secPKCS12Import(
    _ data: UnsafeRawPointer?,
    _ options: UnsafeRawPointer?,
    _ items: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> OSStatus {
    unsafe Outcome.status(writingTo: items) { items throws(WrongArgument) in
        // Without options there is no passphrase.
        let given = try unsafe options == nil ? NSDictionary() : Argument.dictionary(options)
        return unsafe SecPKCS12Import(try Argument.data(data), given, items)
    }
}

/// What is read of a program's `SecItemImportExportKeyParameters`: the flags and the passphrase.
private func withKeyParameters(
    _ parameters: UnsafeRawPointer?,
    _ body: (UnsafePointer<SecItemImportExportKeyParameters>?) throws(WrongArgument) -> OSStatus
) throws(WrongArgument) -> OSStatus {
    guard let parameters = unsafe parameters else { return try body(nil) }
    // As the header has it: two numbers of 32 bits, and then pointers.
    let flags = unsafe parameters.load(fromByteOffset: 4, as: UInt32.self)
    let pointer = unsafe parameters.load(fromByteOffset: 8, as: UnsafeRawPointer?.self)
    let passphrase = try unsafe Argument.optionalObject(pointer)
    var copy = unsafe SecItemImportExportKeyParameters()
    unsafe copy.flags = SecKeyImportExportFlags(rawValue: flags)
    unsafe copy.passphrase = passphrase.map { unsafe Unmanaged.passUnretained($0) }
    defer { withExtendedLifetime(passphrase) {} }
    return try unsafe body(&copy)
}

@c(SecItemExport)
public func secItemExport(
    _ itemOrArray: UnsafeRawPointer?,
    _ outputFormat: UInt32,
    _ flags: UInt32,
    _ keyParameters: UnsafeRawPointer?,
    _ exportedData: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> OSStatus {
    unsafe Outcome.status(writingTo: exportedData) { exportedData throws(WrongArgument) in
        guard let format = SecExternalFormat(rawValue: outputFormat) else { throw WrongArgument() }
        let flags = SecItemImportExportFlags(rawValue: flags)
        let items = try unsafe Argument.object(itemOrArray)
        return try unsafe withKeyParameters(keyParameters) { (parameters) throws(WrongArgument) in
            unsafe SecItemExport(items, format, flags, parameters, exportedData)
        }
    }
}

@c(SecItemImport)
public func secItemImport(
    _ importedData: UnsafeRawPointer?,
    _ fileNameOrExtension: UnsafeRawPointer?,
    _ inputFormat: UnsafeMutablePointer<UInt32>?,
    _ itemType: UnsafeMutablePointer<UInt32>?,
    _ flags: UInt32,
    _ keyParameters: UnsafeRawPointer?,
    _ importKeychain: UnsafeRawPointer?,
    _ items: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> OSStatus {
    Outcome.status { () throws(WrongArgument) in
        var format = unsafe SecExternalFormat(rawValue: inputFormat?.pointee ?? 0) ?? .formatUnknown
        var type = unsafe SecExternalItemType(rawValue: itemType?.pointee ?? 0) ?? .itemTypeUnknown
        var imported: CFArray?
        let data = try unsafe Argument.data(importedData)
        let name = try unsafe Argument.optionalString(fileNameOrExtension)
        let keychain = try unsafe Argument.keychain(importKeychain)
        let status = try unsafe withKeyParameters(keyParameters) { (parameters) throws(WrongArgument) in
            unsafe SecItemImport(
                data,
                name,
                &format,
                &type,
                SecItemImportExportFlags(rawValue: flags),
                parameters,
                keychain,
                &imported
            )
        }
        guard status == errSecSuccess else { return status }
        if let inputFormat = unsafe inputFormat { unsafe inputFormat.pointee = format.rawValue }
        if let itemType = unsafe itemType { unsafe itemType.pointee = type.rawValue }
        if let items = unsafe items { unsafe items.pointee = unsafe OutgoingObject.object(imported) }
        return status
    }
}
