import Foundation

/// A name that is not empty.
public struct Identifier: CustomStringConvertible, Hashable, Sendable {
    public let description: String

    public init?(nonEmpty text: String?) {
        guard let text, !text.isEmpty else { return nil }
        description = text
    }
}

/// A group that several programs share.
public struct SharedGroupIdentifier: CustomStringConvertible, Hashable, Sendable {
    public let prefix: String
    public let group: String

    public init?(appIDPrefix: String, nonEmptyGroup group: String?) {
        guard !appIDPrefix.isEmpty, let group, !group.isEmpty else { return nil }
        prefix = appIDPrefix
        self.group = group
    }

    public var description: String { prefix + "." + group }
}
