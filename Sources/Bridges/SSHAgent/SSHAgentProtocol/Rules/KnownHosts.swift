/// The names that a file `known_hosts` gives to keys (sshd(8), "SSH_KNOWN_HOSTS FILE FORMAT").
package struct KnownHosts: Sendable {
    private let names: [[UInt8]: String]

    package static let none = KnownHosts("")

    /// Reads what is there in the clear: a name that was hashed cannot be told. Lines that are not understood, and those
    /// with a marker, are passed over.
    package init(_ text: String) {
        var names: [[UInt8]: String] = [:]
        for line in text.split(whereSeparator: \.isNewline).prefix(Self.mostLines) {
            let fields = line.split(whereSeparator: { $0 == " " || $0 == "\t" })
            guard fields.count >= 3, let first = fields[0].first, first != "#", first != "@", first != "|",
                let name = fields[0].split(separator: ",").first, !name.contains(where: { "*?!".contains($0) }),
                let blob = Base64.decode(fields[2]), let key = try? SSHPublicKey(blob), names[key.blob] == nil
            else { continue }
            names[key.blob] = String(name)
        }
        self.names = names
    }

    private static let mostLines = 10_000

    /// - Returns: the first name that the file has for the key; nil where there is none.
    package func name(of key: SSHPublicKey) -> String? { names[key.blob] ?? names[key.plain.blob] }
}
