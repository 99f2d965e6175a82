/// Signals about all items of a collection: which there are, and whether each is locked. Programs that run for long learn
/// both from signals alone. The signals are long, so the first is sent at once, and then one in a second at most.
struct Announcements {
    enum Subject: Hashable {
        case list
        case locks
    }

    private struct Topic: Hashable {
        let collection: String
        let subject: Subject
    }

    private var open: Set<Topic> = []
    /// In seconds since 1970-01-01.
    private var told: [Topic: UInt64] = [:]

    mutating func add(_ subject: Subject, of collection: String) {
        open.insert(Topic(collection: collection, subject: subject))
    }

    mutating func forget(_ collection: String) {
        open = open.filter { $0.collection != collection }
        told = told.filter { $0.key.collection != collection }
    }

    /// What is to be told now. It counts as told.
    mutating func take(at now: UInt64) -> [(collection: String, subject: Subject)] {
        guard !open.isEmpty else { return [] }
        let due = open.filter { told[$0] != now }
        open.subtract(due)
        for topic in due { told[topic] = now }
        return due.map { ($0.collection, $0.subject) }
    }

    /// When there is something to be told again.
    func deadline(after now: UInt64) -> UInt64? { open.isEmpty ? nil : now + 1 }
}
