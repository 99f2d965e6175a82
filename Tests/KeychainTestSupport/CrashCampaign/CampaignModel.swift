/// What the items of one writer must be, from what it said.
///
/// Each item is in one state (nil: not there), or, after a kill in the middle of a call, in one of two until somebody
/// looks.
package struct CampaignModel {
    private var states: [CampaignKey: Int] = [:]
    private var undecided: (key: CampaignKey, other: Int?)?
    private var call: (call: CampaignCall, key: CampaignKey, state: Int)?
    package private(set) var acknowledged = 0
    package private(set) var longestWait = 0
    package private(set) var highestState = 0

    package init() {}

    /// Whether the writer is between two of its records, in a call that changes something.
    package var isChanging: Bool { call.map { $0.call != .find } ?? false }

    /// The states that an item may be in.
    package func allowed(_ key: CampaignKey) -> [Int?] {
        guard let undecided, undecided.key == key else { return [states[key]] }
        return [states[key], undecided.other]
    }

    /// Somebody looked: the item is in this state.
    package mutating func settle(_ key: CampaignKey, _ state: Int?) {
        states[key] = state
        if undecided?.key == key { undecided = nil }
    }

    /// The writer was killed.
    package mutating func kill() {
        guard let call else { return }
        self.call = nil
        if let other = outcome(of: call) { undecided = (call.key, other.state) }
    }

    /// Follows a record.
    ///
    /// - Returns: what is wrong with it, or nil.
    package mutating func follow(_ record: CampaignRecord) -> String? {
        switch record {
        case .ready: return nil
        case .found(let key, let found):
            guard found != .broken, allowed(key).contains(found.number) else {
                return "\(key) was found \(found), and not as one of \(allowed(key))"
            }
            settle(key, found.number)
            return nil
        case .before(let call, let key, let state):
            self.call = (call, key, state)
            highestState = max(highestState, state)
            return nil
        case .after(let status, let milliseconds):
            guard let call else { return "a call returned that was not begun" }
            self.call = nil
            longestWait = max(longestWait, milliseconds)
            let expected = expectedStatus(of: call)
            guard status == expected else {
                return "\(call.call) of \(call.key) in state \(String(describing: states[call.key])) returned \(status)"
            }
            if let outcome = outcome(of: call) {
                states[call.key] = outcome.state
                acknowledged += 1
            }
            return nil
        }
    }

    private static let success: Int32 = 0
    private static let duplicate: Int32 = -25299
    private static let notFound: Int32 = -25300

    private func expectedStatus(of call: (call: CampaignCall, key: CampaignKey, state: Int)) -> Int32 {
        switch (call.call, states[call.key]) {
        case (.add, nil): Self.success
        case (.add, _): Self.duplicate
        case (_, nil): Self.notFound
        default: Self.success
        }
    }

    /// What a call leaves behind that changes something; nil for one that changes nothing.
    private func outcome(of call: (call: CampaignCall, key: CampaignKey, state: Int)) -> Outcome? {
        switch (call.call, states[call.key]) {
        case (.add, nil), (.update, .some): Outcome(state: call.state)
        case (.delete, .some): Outcome(state: nil)
        default: nil
        }
    }

    private struct Outcome {
        let state: Int?
    }
}
