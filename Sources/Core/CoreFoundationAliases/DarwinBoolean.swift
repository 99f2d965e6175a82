/// The C type `Boolean` as Swift sees it where a function writes one through a pointer.
public struct DarwinBoolean: ExpressibleByBooleanLiteral, CustomStringConvertible, CustomReflectable, Equatable,
    Sendable
{
    private var value: UInt8

    public init(_ value: Bool) {
        self.value = value ? 1 : 0
    }

    public init(booleanLiteral value: Bool) {
        self.init(value)
    }

    /// The value as Swift's own type.
    public var boolValue: Bool { value != 0 }

    public var customMirror: Mirror { Mirror(reflecting: boolValue) }

    public var description: String { boolValue.description }

    public static func == (left: DarwinBoolean, right: DarwinBoolean) -> Bool {
        left.boolValue == right.boolValue
    }
}
