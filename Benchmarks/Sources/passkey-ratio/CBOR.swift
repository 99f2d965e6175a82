/// As much of CBOR (RFC 8949) as the requests of a browser need, in CTAP's canonical form (CTAP 2.1, section 8).
enum CBOR {
    case number(Int)
    case bytes([UInt8])
    case text(String)
    case list([CBOR])
    /// In the order that the form demands.
    case map([(CBOR, CBOR)])

    var encoded: [UInt8] {
        switch self {
        case .number(let value) where value < 0: Self.head(1, -1 - value)
        case .number(let value): Self.head(0, value)
        case .bytes(let bytes): Self.head(2, bytes.count) + bytes
        case .text(let text): Self.head(3, text.utf8.count) + Array(text.utf8)
        case .list(let values): Self.head(4, values.count) + values.flatMap(\.encoded)
        case .map(let pairs): Self.head(5, pairs.count) + pairs.flatMap { $0.encoded + $1.encoded }
        }
    }

    private static func head(_ kind: UInt8, _ argument: Int) -> [UInt8] {
        argument < 24
            ? [kind << 5 | UInt8(argument)]
            : argument < 256
                ? [kind << 5 | 24, UInt8(argument)] : [kind << 5 | 25, UInt8(argument >> 8), UInt8(argument & 0xFF)]
    }
}
