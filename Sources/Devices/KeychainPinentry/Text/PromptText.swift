/// Text that may be shown to a person who is asked for a secret.
///
/// Names, reasons and labels come from programs that may want to deceive: to forge lines of ours, to hide a part, to
/// turn the order of letters around, to push our words out of sight. What stands literally in our source is ours; what
/// is interpolated counts as foreign text, unless it is a `PromptText` itself:
///
///     let text: PromptText = "The program “\(name)” wants to use your passcode."
package struct PromptText: Sendable, Equatable {
    /// How much of foreign text is shown.
    package struct Limit: Sendable {
        /// Letters and signs, without the marks on them.
        package var characters: Int
        /// In UTF-8, and escaped as the protocol wants it.
        package var bytes: Int

        package init(characters: Int, bytes: Int) {
            self.characters = characters
            self.bytes = bytes
        }

        /// The name of a program or an item.
        package static let name = Limit(characters: 64, bytes: 192)
        /// A sentence, such as the reason that a program gives.
        package static let sentence = Limit(characters: 240, bytes: 480)
        /// What stands on a button.
        package static let label = Limit(characters: 32, bytes: 96)

        /// For a small terminal: less of foreign text, so that there is room for our own.
        /// A sentence keeps what a reason begins with: who asks from where, and for what.
        var brief: Limit {
            characters > Self.name.characters
                ? Limit(characters: min(characters, 130), bytes: min(bytes, 190))
                : Limit(characters: min(characters, 24), bytes: min(bytes, 72))
        }
    }

    /// Of safe characters; with lines where ours has some.
    let text: String
    /// The same with less foreign text.
    let brief: String

    /// Our own text, such as a translated one. Its lines stay lines, its quotation marks stay.
    package init(own text: String) {
        self.init(text: text, brief: text)
    }

    /// Foreign text: one line, cut to a limit, without quotation marks that could end ours.
    package init(foreign text: String, limit: Limit = .name) {
        self.init(
            text: SafeText.line(text, limit: limit, keepsQuotations: false),
            brief: SafeText.line(text, limit: limit.brief, keepsQuotations: false)
        )
    }

    private init(text: String, brief: String) {
        self.text = SafeText.own(text)
        self.brief = SafeText.own(brief)
    }
}

extension PromptText: ExpressibleByStringInterpolation {
    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text = ""
        fileprivate var brief = ""

        package init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity)
        }

        package mutating func appendLiteral(_ literal: String) {
            text += literal
            brief += literal
        }

        package mutating func appendInterpolation(_ foreign: String, limit: Limit = .name) {
            text += SafeText.line(foreign, limit: limit, keepsQuotations: false)
            brief += SafeText.line(foreign, limit: limit.brief, keepsQuotations: false)
        }

        package mutating func appendInterpolation(_ part: PromptText) {
            text += part.text
            brief += part.brief
        }

        package mutating func appendInterpolation(_ number: Int) {
            text += String(number)
            brief += String(number)
        }
    }

    package init(stringLiteral literal: String) {
        self.init(own: literal)
    }

    package init(stringInterpolation: StringInterpolation) {
        self.init(text: stringInterpolation.text, brief: stringInterpolation.brief)
    }
}
