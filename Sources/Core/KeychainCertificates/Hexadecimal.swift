extension Collection<UInt8> {
    /// Upper case, two digits a byte.
    package var hexadecimal: String {
        String(decoding: flatMap { [Self.digit($0 >> 4), Self.digit($0 & 0x0F)] }, as: UTF8.self)
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }
}
