/// A request for a page, with those of its headers that decide something.
package struct PageRequest: Sendable {
    package enum Method: Sendable {
        case get
        case post
        case other
    }

    package var method: Method
    /// Without the query, as it was sent.
    package var path: String
    package var query = FormFields()
    /// What a form has sent.
    package var form = FormFields()
    package var host = ""
    package var origin: String?
    /// `Sec-Fetch-Site` and `Sec-Fetch-Mode`; nil where the browser sends none.
    package var fetchSite: String?
    package var fetchMode: String?
    /// `Sec-Purpose`, by which a browser says that nobody has asked yet.
    package var purpose: String?
    /// The values of all headers `Cookie`.
    package var cookieHeaders: [String] = []

    package init(_ method: Method, _ path: String) {
        self.method = method
        self.path = path
    }

    /// The values of all cookies of a name. A browser may have several.
    package func cookies(named name: String) -> [String] {
        cookieHeaders.flatMap { $0.split(separator: ";") }.compactMap { pair in
            let pair = pair.drop { $0 == " " }
            guard let equals = pair.firstIndex(of: "="), pair[..<equals] == name else { return nil }
            return String(pair[pair.index(after: equals)...])
        }
    }

    /// The parts of the path between its slashes.
    package var segments: [Substring] { path.split(separator: "/", omittingEmptySubsequences: true) }
}

/// The fields of a form, or of a query, in their order (`application/x-www-form-urlencoded`).
package struct FormFields: Sendable {
    private var fields: [(name: String, value: String)] = []

    /// The items of one page can be selected, and a few fields more.
    package static let most = 1_000

    package init() {}

    /// - Returns: nil for what is no such form: too many fields, escapes that are none, no UTF-8.
    package init?(_ bytes: some Sequence<UInt8>) {
        for part in Array(bytes).split(separator: UInt8(ascii: "&")) {
            guard fields.count < Self.most else { return nil }
            let pair = part.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = Self.decoded(pair[0]), let value = Self.decoded(pair.count > 1 ? pair[1] : []) else {
                return nil
            }
            fields.append((name, value))
        }
    }

    /// The value of a field that is there once; nil where it is missing or there twice.
    package subscript(name: String) -> String? {
        let values = values(name)
        return values.count == 1 ? values[0] : nil
    }

    /// Takes the place of what a field says.
    package mutating func set(_ name: String, _ value: String) {
        fields.removeAll { $0.name == name }
        fields.append((name, value))
    }

    package func values(_ name: String) -> [String] { fields.filter { $0.name == name }.map(\.value) }

    private static func decoded(_ bytes: ArraySlice<UInt8>) -> String? {
        var decoded: [UInt8] = []
        var rest = bytes
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"): decoded.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else {
                    return nil
                }
                decoded.append(high << 4 | low)
            default: decoded.append(byte)
            }
        }
        return String(validating: decoded, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        Character(Unicode.Scalar(byte)).hexDigitValue.flatMap(UInt8.init(exactly:))
    }

    /// A query with these fields.
    package static func query(_ fields: [(String, String)]) -> String {
        fields.map { "\(encoded($0.0))=\(encoded($0.1))" }.joined(separator: "&")
    }

    /// A text as a part of an address.
    package static func encoded(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF")
        return text.utf8.reduce(into: "") { encoded, byte in
            let scalar = Unicode.Scalar(byte)
            if byte < 0x80,
                scalar.properties.isAlphabetic || (0x30...0x39).contains(byte) || "-._~".unicodeScalars.contains(scalar)
            {
                encoded.unicodeScalars.append(scalar)
            } else {
                encoded += "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
            }
        }
    }
}
