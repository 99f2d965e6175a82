/// What a program asks a transport for, in a line of words with blanks between them; `docs/formats/transport-program.md` has the
/// protocol.
package enum TransportRequest: Equatable, Sendable {
    case circles
    case list(kind: String, circle: String)
    case read(name: String, circle: String, most: Int)
    /// The bytes follow the line.
    case write(name: String, circle: String, count: Int)
    /// The bytes of all follow the line.
    case writeAll(circle: String, blobs: [Part])
    case remove(name: String, circle: String)
    case watch(circle: String)

    package struct Part: Equatable, Sendable {
        package let name: String
        package let count: Int

        package init(name: String, count: Int) {
            self.name = name
            self.count = count
        }
    }

    /// How many bytes follow the line.
    var size: Int {
        switch self {
        case .write(_, _, let count): count
        case .writeAll(_, let blobs): blobs.reduce(0) { $0 + $1.count }
        default: 0
        }
    }

    /// The longest line, and the longest blob.
    package static let longestLine = 1_024
    package static let largestBlob = 4 << 20

    /// - Returns: nil for what is none.
    package init?(_ line: String) {
        let words = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        guard words.dropFirst().allSatisfy(Self.isPlain) else { return nil }
        func size(_ word: String) -> Int? { Int(word).flatMap { (0...Self.largestBlob).contains($0) ? $0 : nil } }
        switch (words.first, words.count) {
        case ("circles", 1): self = .circles
        case ("list", 3): self = .list(kind: words[1], circle: words[2])
        case ("read", 4):
            guard let most = size(words[3]) else { return nil }
            self = .read(name: words[1], circle: words[2], most: most)
        case ("write", 4):
            guard let count = size(words[3]) else { return nil }
            self = .write(name: words[1], circle: words[2], count: count)
        case ("write-all", 4...):
            guard words.count.isMultiple(of: 2) else { return nil }
            var blobs: [Part] = []
            for index in stride(from: 2, to: words.count, by: 2) {
                guard let count = size(words[index + 1]) else { return nil }
                blobs.append(Part(name: words[index], count: count))
            }
            self = .writeAll(circle: words[1], blobs: blobs)
            guard self.size <= Self.largestBlob else { return nil }
        case ("remove", 3): self = .remove(name: words[1], circle: words[2])
        case ("watch", 2): self = .watch(circle: words[1])
        default: return nil
        }
    }

    /// Names are parts of keys: they lead nowhere else.
    private static func isPlain(_ word: String) -> Bool {
        !word.isEmpty
            && word.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
                    UInt8(ascii: "/"):
                    true
                default: false
                }
            }
    }
}
