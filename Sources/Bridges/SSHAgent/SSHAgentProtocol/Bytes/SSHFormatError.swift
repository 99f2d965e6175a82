/// Bytes that are not what a message has to be (RFC 4251, section 5). It says nothing of them: they may be secret.
package struct SSHFormatError: Error, Equatable, CustomStringConvertible {
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}
