/// What a writer says of its work, a line each, written in one piece before it goes on.
package enum CampaignRecord: Equatable {
    /// The state in which a new writer found an item.
    case found(CampaignKey, FoundState)
    /// It has looked at all its items, and begins.
    case ready
    /// It is about to make a call, which would bring an item into a state.
    case before(CampaignCall, CampaignKey, Int)
    /// The call returned.
    case after(Int32, milliseconds: Int)

    package enum FoundState: Equatable, Sendable {
        case absent
        case state(Int)
        /// Not found for another reason than that it is not there, or not of one piece.
        case broken

        package var number: Int? {
            if case .state(let number) = self { number } else { nil }
        }
    }

    package var line: String {
        switch self {
        case .found(let key, .absent): "found \(key.itemClass.rawValue) \(key.slot) absent"
        case .found(let key, .broken): "found \(key.itemClass.rawValue) \(key.slot) broken"
        case .found(let key, .state(let state)): "found \(key.itemClass.rawValue) \(key.slot) \(state)"
        case .ready: "ready"
        case .before(let call, let key, let state): "\(call.rawValue) \(key.itemClass.rawValue) \(key.slot) \(state)"
        case .after(let status, let milliseconds): "returned \(status) \(milliseconds)"
        }
    }

    /// Nil for a line that is none of these.
    package init?(_ line: String) {
        let words = line.split(separator: " ").map(String.init)
        switch (words.first, words.count) {
        case ("ready", 1): self = .ready
        case ("returned", 3):
            guard let status = Int32(words[1]), let milliseconds = Int(words[2]) else { return nil }
            self = .after(status, milliseconds: milliseconds)
        case (let word?, 4):
            guard let itemClass = CampaignKey.Class(rawValue: words[1]), let slot = Int(words[2]) else { return nil }
            let key = CampaignKey(itemClass: itemClass, slot: slot)
            switch (word, words[3], Int(words[3])) {
            case ("found", "absent", _): self = .found(key, .absent)
            case ("found", "broken", _): self = .found(key, .broken)
            case ("found", _, let state?): self = .found(key, .state(state))
            case (_, _, let state?):
                guard let call = CampaignCall(rawValue: word) else { return nil }
                self = .before(call, key, state)
            default: return nil
            }
        default: return nil
        }
    }
}
