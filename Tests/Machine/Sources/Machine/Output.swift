/// What a command printed, on both streams, and its exit status.
package struct Output: Sendable {
    package let text: String
    package let status: Int32

    package var lines: [String] { text.split(separator: "\n").map(String.init) }
    package func says(_ words: String) -> Bool { text.contains(words) }
}
