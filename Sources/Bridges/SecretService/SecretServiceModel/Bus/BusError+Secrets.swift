import MessageBus

/// What gnome-keyring answers in the same cases: clients know these names.
extension BusError {
    static func notSupported(_ text: String) -> BusError {
        BusError("org.freedesktop.DBus.Error.NotSupported", text)
    }
    static let noSuchMethod = BusError("org.freedesktop.DBus.Error.UnknownMethod", "there is no such method")
    static let noSuchProperty = BusError("org.freedesktop.DBus.Error.UnknownProperty", "there is no such property")
    static let readOnlyProperty = BusError("org.freedesktop.DBus.Error.PropertyReadOnly", "it cannot be set")
    static let tooManySecrets = limit("the secrets of an answer have at most 32 MiB together; ask for fewer items")
    static let accessDenied = BusError("org.freedesktop.DBus.Error.AccessDenied", "not for this caller")
    static let isProtected = BusError(
        "org.freedesktop.DBus.Error.AccessDenied",
        "the collection is protected; its owner takes that away by chatelaine secrets unprotect"
    )
    static func failed(_ text: String) -> BusError { BusError("org.freedesktop.DBus.Error.Failed", text) }
    static let noSession = BusError("org.freedesktop.Secret.Error.NoSession", "there is no such session")
    static let isLocked = BusError("org.freedesktop.Secret.Error.IsLocked", "the collection is locked")
}
