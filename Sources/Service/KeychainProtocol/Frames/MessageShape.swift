import KeychainModel

/// Counts the fields of a client's message before it is decoded.
///
/// Two bytes on the wire are an empty attribute, or an empty operation, and become a hundred in memory: a frame of the
/// largest size would take gigabytes.
enum MessageShape {
    /// A thousand operations with all their attributes.
    static let mostFields = 200_000

    /// - Returns: the number of its fields.
    /// - Throws: `invalidParameter` for a message of more fields, and for one that is malformed where it is looked at.
    static func modestCount(_ message: [UInt8]) throws(KeychainError) -> Int {
        var count = 0
        guard walk(message.span, as: .clientFrame, &count) else {
            throw KeychainError(.invalidParameter, "a frame is no message of the protocol, or one of too many fields")
        }
        return count
    }

    /// The messages of `chatelaine.proto` that hold, somewhere inside, what can be repeated.
    private enum Kind {
        case clientFrame
        case request
        case operation
        case batch
        case add
        /// Find, update and delete begin with their query.
        case call
        case query
        case certificateFilter
        case backup
        case circle
        case carried
        case names

        /// What stands in a field, or nil for what need not be looked into.
        func field(_ number: UInt64) -> Kind? {
            switch (self, number) {
            case (.clientFrame, 2): .request
            case (.request, 2): .operation
            case (.request, 3): .batch
            case (.request, 8): .backup
            case (.request, 13): .circle
            case (.circle, 17): .carried
            case (.carried, 1): .names
            case (.batch, 1): .operation
            case (.operation, 1): .add
            case (.operation, 2), (.operation, 3), (.operation, 4): .call
            case (.call, 1): .query
            case (.query, 10): .certificateFilter
            default: nil
            }
        }
    }

    /// Walks through the fields of one message.
    private static func walk(_ bytes: Span<UInt8>, as kind: Kind, _ count: inout Int) -> Bool {
        var position = 0
        while position < bytes.count {
            count += 1
            guard count <= mostFields, let tag = varint(bytes, &position) else { return false }
            switch tag & 7 {
            case 0: guard varint(bytes, &position) != nil else { return false }
            case 1: position += 8
            case 5: position += 4
            case 2:
                guard let announced = varint(bytes, &position), let length = Int(exactly: announced),
                    length <= bytes.count - position
                else { return false }
                let end = position + length
                if let inner = kind.field(tag >> 3) {
                    guard walk(bytes.extracting(position..<end), as: inner, &count) else { return false }
                }
                position = end
            default: return false
            }
        }
        return position == bytes.count
    }

    private static func varint(_ bytes: Span<UInt8>, _ position: inout Int) -> UInt64? {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 7) {
            guard position < bytes.count else { return nil }
            let byte = bytes[position]
            position += 1
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
        }
        return nil
    }
}
