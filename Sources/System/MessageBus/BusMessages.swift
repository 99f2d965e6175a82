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

/// The answer to a call that is not done; the name is empty where no answer came.
package struct BusError: Error, Sendable, Equatable {
    package let name: String
    package let text: String

    package init(_ name: String, _ text: String) {
        self.name = name
        self.text = text
    }

    package static func invalidArguments(_ text: String) -> BusError {
        BusError("org.freedesktop.DBus.Error.InvalidArgs", text)
    }
    package static func limit(_ text: String) -> BusError {
        BusError("org.freedesktop.DBus.Error.LimitsExceeded", text)
    }
    /// Also for objects that are gone: with another name, a cancelled prompt that was just answered crashes libsecret.
    package static let noSuchObject = BusError("org.freedesktop.DBus.Error.UnknownMethod", "there is no such object")
    package static let unreadableAnswer = BusError("", "the answer cannot be read")
    /// For a process that serves nothing.
    package static let notServed = noSuchObject
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
