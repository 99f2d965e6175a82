import Security

/// What stops a benchmark: a call that did not do what is measured.
public struct Failure: Error, CustomStringConvertible {
    public let description: String

    public init(_ description: String) {
        self.description = description
    }
}

/// - Throws: a failure that names the call, unless it succeeded.
func check(_ status: OSStatus, _ call: String) throws {
    guard status == errSecSuccess else { throw Failure("\(call) returned \(status)") }
}
