/// A method call that arrived.
package struct BusCall: Sendable {
    /// Stands for the call until it is answered.
    package typealias ID = UInt64

    package let id: ID
    /// The unique name of the caller, which the bus has written.
    package let sender: String
    package let path: String
    /// Empty where the caller names none.
    package let interface: String
    package let member: String
    package let arguments: [BusValue]

    package init(
        id: ID,
        sender: String,
        path: String,
        interface: String,
        member: String,
        arguments: [BusValue]
    ) {
        self.id = id
        self.sender = sender
        self.path = path
        self.interface = interface
        self.member = member
        self.arguments = arguments
    }
}

/// What a call is answered with.
package enum BusReply: Sendable, Equatable {
    case values([BusValue])
    case failure(BusError)
}

/// The answer to a call that is not done.
package struct BusError: Error, Sendable, Equatable {
    package let name: String
    package let text: String

    init(_ name: String, _ text: String) {
        self.name = name
        self.text = text
    }

    // What gnome-keyring answers in the same cases: clients know these names.

    package static func invalidArguments(_ text: String) -> BusError {
        BusError("org.freedesktop.DBus.Error.InvalidArgs", text)
    }
    static func notSupported(_ text: String) -> BusError {
        BusError("org.freedesktop.DBus.Error.NotSupported", text)
    }
    /// Also for objects that are gone: with another name, a cancelled prompt that was just answered crashes libsecret.
    static let noSuchObject = BusError("org.freedesktop.DBus.Error.UnknownMethod", "there is no such object")
    static let noSuchMethod = BusError("org.freedesktop.DBus.Error.UnknownMethod", "there is no such method")
    static let noSuchProperty = BusError("org.freedesktop.DBus.Error.UnknownProperty", "there is no such property")
    static let readOnlyProperty = BusError("org.freedesktop.DBus.Error.PropertyReadOnly", "it cannot be set")
    package static func limit(_ text: String) -> BusError {
        BusError("org.freedesktop.DBus.Error.LimitsExceeded", text)
    }
    static let tooManySecrets = limit("the secrets of an answer have at most 32 MiB together; ask for fewer items")
    /// For a process that serves nothing.
    package static let notServed = noSuchObject
    static let accessDenied = BusError("org.freedesktop.DBus.Error.AccessDenied", "not for this caller")
    static let isProtected = BusError(
        "org.freedesktop.DBus.Error.AccessDenied",
        "the collection is protected; its owner takes that away by chatelaine secrets unprotect"
    )
    static func failed(_ text: String) -> BusError { BusError("org.freedesktop.DBus.Error.Failed", text) }
    static let noSession = BusError("org.freedesktop.Secret.Error.NoSession", "there is no such session")
    static let isLocked = BusError("org.freedesktop.Secret.Error.IsLocked", "the collection is locked")
}

package struct BusSignal: Sendable, Equatable {
    package let path: String
    package let interface: String
    package let member: String
    /// The unique name of the only receiver; nil for all who listen.
    package let destination: String?
    package let arguments: [BusValue]

    package init(
        _ path: String,
        _ interface: String,
        _ member: String,
        to destination: String? = nil,
        _ arguments: [BusValue]
    ) {
        self.path = path
        self.interface = interface
        self.member = member
        self.destination = destination
        self.arguments = arguments
    }
}

/// Names of the Secret Service API (https://specifications.freedesktop.org/secret-service-spec/latest/).
package enum SecretInterface {
    package static let name = "org.freedesktop.secrets"
    package static let service = "org.freedesktop.Secret.Service"
    package static let collection = "org.freedesktop.Secret.Collection"
    static let item = "org.freedesktop.Secret.Item"
    static let session = "org.freedesktop.Secret.Session"
    static let prompt = "org.freedesktop.Secret.Prompt"
    package static let properties = "org.freedesktop.DBus.Properties"
    static let introspectable = "org.freedesktop.DBus.Introspectable"
}
