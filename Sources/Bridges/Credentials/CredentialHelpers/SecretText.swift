package import KeychainModel

/// Text that is made of words of ours and of secrets, which are copied once, into the bytes that leave the process.
package struct SecretText: Sendable {
    fileprivate enum Part: Sendable {
        case text(String)
        case secret(SecretBytes)
    }

    private var parts: [Part] = []

    package init() {}

    package init(_ text: String) {
        parts = [.text(text)]
    }

    package static func += (text: inout SecretText, addition: String) {
        text.parts.append(.text(addition))
    }

    package static func += (text: inout SecretText, addition: SecretBytes) {
        text.parts.append(.secret(addition))
    }

    package static func += (text: inout SecretText, addition: SecretText) {
        text.parts += addition.parts
    }

    package func joined() -> SecretBytes {
        let count = parts.reduce(0) { $0 + $1.count }
        return unsafe SecretBytes(count: count) { target in
            var position = 0
            for part in parts {
                let room = unsafe UnsafeMutableRawBufferPointer(rebasing: target[position...])
                switch part {
                case .text(let text): unsafe room.copyBytes(from: text.utf8)
                case .secret(let secret): unsafe secret.withUnsafeBytes { unsafe room.copyMemory(from: $0) }
                }
                position += part.count
            }
        }
    }
}

extension SecretText.Part {
    fileprivate var count: Int {
        switch self {
        case .text(let text): text.utf8.count
        case .secret(let secret): secret.count
        }
    }
}
