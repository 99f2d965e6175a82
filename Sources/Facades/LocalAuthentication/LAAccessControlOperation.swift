/// What an access control is evaluated for.
@nonexhaustive(warn)
public enum LAAccessControlOperation: Int, Sendable {
    /// Adding an item.
    case createItem = 0
    /// Reading an item.
    case useItem = 1
    /// Making a key.
    case createKey = 2
    /// Signing with a key.
    case useKeySign = 3
    /// Decrypting with a key.
    case useKeyDecrypt = 4
    /// Agreeing on a secret with a key.
    case useKeyKeyExchange = 5
}

// MARK: The numbers of the operations

/// `LAAccessControlOperation.createItem`.
public var kLAAccessControlOperationCreateItem: Int32 { 0 }

/// `LAAccessControlOperation.useItem`.
public var kLAAccessControlOperationUseItem: Int32 { 1 }

/// `LAAccessControlOperation.createKey`.
public var kLAAccessControlOperationCreateKey: Int32 { 2 }

/// `LAAccessControlOperation.useKeySign`.
public var kLAAccessControlOperationUseKeySign: Int32 { 3 }

/// `LAAccessControlOperation.useKeyDecrypt`.
public var kLAAccessControlOperationUseKeyDecrypt: Int32 { 4 }

/// `LAAccessControlOperation.useKeyKeyExchange`.
public var kLAAccessControlOperationUseKeyKeyExchange: Int32 { 5 }
