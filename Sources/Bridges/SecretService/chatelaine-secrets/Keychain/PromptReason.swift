import KeychainModel
import SecretServiceModel

/// What a prompt says of a client of the bus: who asks, as far as the bus can tell, then what for. Each name is cut by
/// itself, so that none pushes another out of sight, and labels, which clients choose, come after what we call things.
struct PromptReason {
    let text: String

    init(_ program: String, _ reason: AccessReason) {
        let collections = reason.collections
        let named = collections.prefix(Self.mostNames).map { collection in
            let id = Self.cut(collection.id)
            return collection.label.isEmpty ? id : "\(id) (\(Self.quoted(collection.label)))"
        }
        let more = collections.count - named.count
        let noun = collections.count == 1 ? "the collection" : "\(collections.count) collections:"
        let others = more > 0 ? " and \(more) more" : ""
        let item = reason.item.map { "the item \(Self.quoted($0)) of " } ?? ""
        text =
            "\(Self.quoted(program, from: .end)) \(reason.verb.rawValue) \(item)\(noun) "
            + named.joined(separator: ", ") + others
    }

    /// A prompt shows 240 characters of a reason, and 260 bytes.
    private static let mostNames = 2
    private static let longestName = 36

    private enum Side {
        case start
        case end
    }

    /// In quotation marks that the name itself cannot close. A prompt shows ours as simple ones.
    private static func quoted(_ text: String, from side: Side = .start) -> String {
        "“" + cut(unquotable(text), from: side) + "”"
    }

    private static func unquotable(_ text: String) -> String {
        let kept = text.unicodeScalars.filter { PromptPart.isShown($0) && !PromptPart.isQuotationMark($0) }
        return String(String.UnicodeScalarView(kept))
    }

    /// - Parameter side: which side stays; of a path, the end.
    private static func cut(_ text: String, from side: Side = .start) -> String {
        var part: [Character] = []
        var size = 0
        let letters = side == .start ? Array(text) : text.reversed()
        for letter in letters {
            // A percent sign is sent as three bytes.
            size += letter == "%" ? 3 : letter.utf8.count
            guard size <= longestName else {
                part.append("…")
                break
            }
            part.append(letter)
        }
        return String(side == .start ? part : part.reversed())
    }
}
