import KeychainCertificates

/// Elements of DER (ITU-T X.690), put together from the inside to the outside.
enum Encoding {
    /// - Parameter tag: the whole first byte.
    static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        header(tag, count: content.count) + content
    }

    /// The tag and the length of an element with so many bytes in it.
    static func header(_ tag: UInt8, count: Int) -> [UInt8] {
        guard count >= 0x80 else { return [tag, UInt8(truncatingIfNeeded: count)] }
        var length: [UInt8] = []
        var rest = count
        while rest > 0 {
            length.append(UInt8(truncatingIfNeeded: rest))
            rest >>= 8
        }
        return [tag, 0x80 | UInt8(truncatingIfNeeded: length.count)] + length.reversed()
    }

    static func sequence(_ parts: [UInt8]...) -> [UInt8] { element(0x30, parts.flatMap { $0 }) }

    static func sequence(of parts: [[UInt8]]) -> [UInt8] { element(0x30, parts.flatMap { $0 }) }

    /// In the order that DER has for sets.
    static func set(_ parts: [[UInt8]], tag: UInt8 = 0x31) -> [UInt8] {
        element(tag, parts.sorted { $0.lexicographicallyPrecedes($1) }.flatMap { $0 })
    }

    static func octets(_ bytes: [UInt8]) -> [UInt8] { element(0x04, bytes) }

    /// A BIT STRING of whole bytes.
    static func bits(_ bytes: [UInt8]) -> [UInt8] { element(0x03, [0] + bytes) }

    static func integer(_ number: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = UInt64(max(number, 0))
        repeat {
            bytes.append(UInt8(truncatingIfNeeded: rest))
            rest >>= 8
        } while rest > 0
        return integer(unsigned: bytes.reversed())
    }

    /// - Parameter bytes: a number from 0 on, big-endian.
    static func integer(unsigned bytes: [UInt8]) -> [UInt8] {
        let digits = Array(bytes.drop { $0 == 0 })
        guard let first = digits.first else { return [0x02, 0x01, 0x00] }
        return element(0x02, first < 0x80 ? digits : [0] + digits)
    }

    static func object(_ identifier: OID) -> [UInt8] { element(0x06, Array(identifier.content)) }

    static let null: [UInt8] = [0x05, 0x00]

    /// An explicit tag, or an implicit one of something constructed.
    static func tagged(_ number: UInt8, _ content: [UInt8]) -> [UInt8] { element(0xA0 | number, content) }
}
