import Testing

@testable import SSHAgentProtocol

struct PatternTests {
    @Test(arguments: [
        ("*", "anything", true), ("*", "", true), ("", "", true), ("", "a", false), ("a*c", "abbbc", true),
        ("a*c", "abbb", false), ("a?c", "abc", true), ("a?c", "ac", false), ("*.example.org", "www.example.org", true),
        ("*.example.org", "example.org", false), ("alice", "alice", true), ("alice", "alic", false),
    ])
    func `a pattern matches as ssh_config says`(pattern: String, text: String, isMatch: Bool) {
        #expect(Pattern(pattern).matches(text) == isMatch)
    }

    @Test func `a pattern with many asterisks takes no long time`() {
        #expect(!Pattern(String(repeating: "a*", count: 500) + "b").matches(String(repeating: "a", count: 1_000)))
    }
}
