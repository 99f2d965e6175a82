/// What follows the question mark of an address: `name=value`, joined by `&`. Names are compared without regard to
/// case.
struct CodeParameters {
    private let pairs: [(name: String, isAssigned: Bool, value: [UInt8])]

    init(_ text: ArraySlice<UInt8>) {
        pairs = text.split(separator: UInt8(ascii: "&")).map { pair in
            let name = pair.prefix { $0 != UInt8(ascii: "=") }
            return (
                String(decoding: PercentCoding.decode(name), as: UTF8.self).lowercased(),
                name.count < pair.count,
                PercentCoding.decode(pair.dropFirst(name.count + 1))
            )
        }
    }

    /// Whether a name is there with an equals sign, also with nothing after it.
    func has(_ name: String) -> Bool { pairs.contains { $0.name == name && $0.isAssigned } }

    /// The value of a name, or nil if it is missing or empty.
    ///
    /// - Throws: `repeatedParameter`: programs differ in which of two they take.
    func value(_ name: String) throws(CodeFailure) -> [UInt8]? {
        let values = pairs.filter { $0.name == name }.map(\.value)
        guard values.count <= 1 else { throw .repeatedParameter }
        return values.first.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The value of a name as text. Labels of old sites are not always UTF-8; what is not comes out as U+FFFD.
    func text(_ name: String) throws(CodeFailure) -> String {
        String(decoding: try value(name) ?? [], as: UTF8.self)
    }
}

/// How codes are made, as a program has written it down.
struct CodeSettings {
    let algorithm: CodeAlgorithm
    let digits: Int
    let period: Int

    /// What is nil or empty is as usual: SHA-1, 6 digits, 30 seconds.
    ///
    /// - Throws: `otherAlgorithm`, `digitsOutOfRange`, `periodOutOfRange`.
    init(algorithm: [UInt8]?, digits: [UInt8]?, period: [UInt8]?) throws(CodeFailure) {
        guard let algorithm = Self.given(algorithm).map(CodeAlgorithm.init(name:)) ?? .sha1 else {
            throw .otherAlgorithm
        }
        self.algorithm = algorithm
        guard let digits = Self.given(digits).map(Self.number) ?? OneTimeCode.usualDigits,
            OneTimeCode.digitCounts.contains(digits)
        else { throw .digitsOutOfRange }
        self.digits = digits
        guard let period = Self.given(period).map(Self.number) ?? OneTimeCode.usualPeriod,
            OneTimeCode.periods.contains(period)
        else { throw .periodOutOfRange }
        self.period = period
    }

    private static func given(_ text: [UInt8]?) -> [UInt8]? {
        text.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// A number in up to nine digits, and nothing else.
    private static func number(_ text: [UInt8]) -> Int? {
        guard text.count <= 9, text.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
            return nil
        }
        return text.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }
}
