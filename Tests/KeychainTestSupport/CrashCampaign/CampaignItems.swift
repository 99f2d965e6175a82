package import Foundation
package import KeychainModel

/// One of the items that a writer of a crash campaign works on.
package struct CampaignKey: Hashable, Sendable {
    package enum Class: String, CaseIterable, Sendable {
        case password
        case certificate
        case key
    }

    package let itemClass: Class
    package let slot: Int

    package init(itemClass: Class, slot: Int) {
        self.itemClass = itemClass
        self.slot = slot
    }

    /// The items of one writer: few, so that each is written often.
    package static let all = Class.allCases.flatMap { itemClass in
        (0..<4).map { CampaignKey(itemClass: itemClass, slot: $0) }
    }

    /// What the item is called: its account, serial number or application label.
    package func name(of writer: String) -> String { "\(writer)-\(slot)" }

    package var modelClass: ItemClass {
        switch itemClass {
        case .password: .genericPassword
        case .certificate: .certificate
        case .key: .key
        }
    }
}

/// One of the four calls.
package enum CampaignCall: String, CaseIterable, Sendable {
    case add
    case update
    case delete
    case find

    /// Changes are what a kill can spoil: they are made more often than searches.
    package static func random(using random: inout some RandomNumberGenerator) -> CampaignCall {
        let choices: [CampaignCall] = [.add, .add, .update, .update, .delete, .find]
        return choices.randomElement(using: &random) ?? .find
    }
}

/// The value that an item has in one of its states: it names the state, and is longer than a page in some.
package enum CampaignValue {
    package static let marker = "crash campaign value "

    package static func bytes(key: CampaignKey, writer: String, state: Int) -> Data {
        let token = "\(marker)\(writer)/\(key.itemClass.rawValue)/\(key.slot)/\(state);"
        let lengths = [1, 40, 400, 5_000, 20_000]
        let count = max(1, lengths[state % lengths.count] / token.utf8.count)
        return Data(String(repeating: token, count: count).utf8)
    }

    /// Every state that is named in some bytes, by the text after the marker. One that a page's end cuts in two is left
    /// out.
    package static func tokens(in bytes: Data) -> Set<String> {
        var tokens: Set<String> = []
        var rest = bytes[...]
        while let found = rest.range(of: Data(marker.utf8)) {
            rest = rest[found.upperBound...]
            guard let end = rest.prefix(100).firstIndex(of: UInt8(ascii: ";")) else { continue }
            let token = String(decoding: rest[..<end], as: UTF8.self)
            if token.wholeMatch(of: /writer\d+\/[a-z]+\/\d+\/\d+/) != nil { tokens.insert(token) }
        }
        return tokens
    }

    package static func token(key: CampaignKey, writer: String, state: Int) -> String {
        "\(writer)/\(key.itemClass.rawValue)/\(key.slot)/\(state)"
    }
}

/// A generator that gives the same numbers for the same seed (SplitMix64, Steele, Lea and Flood, 2014).
package struct SplitMix64: RandomNumberGenerator {
    private var state: UInt64

    package init(state: UInt64) {
        self.state = state
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
