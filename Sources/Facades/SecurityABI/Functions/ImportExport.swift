public import Security

@c(SecPKCS12Import)
public func secPKCS12Import(
    _ data: UnsafeRawPointer?,
    _ options: UnsafeRawPointer?,
    _ items: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> OSStatus {
    unsafe Outcome.status(writingTo: items) { items throws(WrongArgument) in
        unsafe SecPKCS12Import(try Argument.data(data), try Argument.dictionary(options), items)
    }
}

// The parameters of keys are not handed on: there is nothing yet that reads them.

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
        return unsafe SecItemExport(try Argument.object(itemOrArray), format, flags, nil, exportedData)
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
        let status = unsafe SecItemImport(
            try Argument.data(importedData),
            try Argument.optionalString(fileNameOrExtension),
            &format,
            &type,
            SecItemImportExportFlags(rawValue: flags),
            nil,
            try Argument.keychain(importKeychain),
            &imported
        )
        guard status == errSecSuccess else { return status }
        if let inputFormat = unsafe inputFormat { unsafe inputFormat.pointee = format.rawValue }
        if let itemType = unsafe itemType { unsafe itemType.pointee = type.rawValue }
        if let items = unsafe items { unsafe items.pointee = unsafe OutgoingObject.object(imported) }
        return status
    }
}
