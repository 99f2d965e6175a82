/// One thing that a certificate says, for people to read.
package struct CertificateProperty: Sendable {
    /// The object identifier under which a field or an extension is found; the label, for what is inside of one.
    package let identifier: String
    package let label: String
    package let value: Value

    package enum Value: Sendable {
        case string(String)
        case data([UInt8])
        case url(String)
        /// Seconds since 2001-01-01.
        case date(Double)
        case section([CertificateProperty])
    }

    init(_ label: String, _ value: Value, identifier: String? = nil) {
        self.label = label
        self.value = value
        self.identifier = identifier ?? label
    }

    /// A text out of the certificate, without what cannot be seen.
    init(_ label: String, text: String) {
        self.init(label, .string(text.displayed))
    }

    init(_ label: String, isTrue: Bool) {
        self.init(label, .string(isTrue ? "Yes" : "No"))
    }
}
