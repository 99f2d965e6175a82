import KeychainClient
import Testing

/// What a bridge may have the owner asked for its clients.
struct PromptBudgetTests {
    private let start = ContinuousClock.now

    /// Whether a prompt is refused, so many seconds after the start.
    private func refusal(_ budget: inout PromptBudget, _ client: String, _ seconds: Double) -> PromptBudget.Refusal? {
        do throws(PromptBudget.Refusal) {
            try budget.take(for: client, at: start + .seconds(seconds))
            return nil
        } catch {
            return error
        }
    }

    @Test func `a client that asks without end leaves prompts for the others`() {
        var budget = PromptBudget()
        for count in 0..<1_000 {
            let isRefused = refusal(&budget, "greedy", Double(count) / 100) != nil
            #expect(isRefused == (count >= PromptBudget.mostOfClient))
        }
        #expect(refusal(&budget, "honest", 10) == nil)
    }

    @Test func `all clients together leave prompts for other programs than the bridge`() {
        var budget = PromptBudget()
        let granted = (0..<1_000).filter { refusal(&budget, "client \($0)", 0) == nil }
        #expect(granted.count == PromptBudget.mostOfAll)
        #expect(refusal(&budget, "client 0", 59) != nil)
        // The control: a minute later.
        #expect(refusal(&budget, "client 0", 61) == nil)
    }

    @Test func `one line a minute tells that a client is refused`() {
        var budget = PromptBudget()
        for _ in 0..<PromptBudget.mostOfClient { #expect(refusal(&budget, "greedy", 0) == nil) }
        #expect(refusal(&budget, "greedy", 1)?.isFirst == true)
        for _ in 0..<100 { #expect(refusal(&budget, "greedy", 2)?.isFirst == false) }
        for _ in 0..<PromptBudget.mostOfClient { #expect(refusal(&budget, "greedy", 62) == nil) }
        #expect(refusal(&budget, "greedy", 63)?.isFirst == true)
    }

    @Test func `a client that the owner declines twice is not asked for until five minutes are over`() {
        var budget = PromptBudget()
        for second in 0..<PromptBudget.mostDeclined {
            #expect(refusal(&budget, "declined", Double(second)) == nil)
            budget.decline(for: "declined", at: start + .seconds(second))
        }
        #expect(refusal(&budget, "declined", 290) != nil)
        #expect(refusal(&budget, "another", 290) == nil)
        #expect(refusal(&budget, "declined", 302) == nil)
    }

}
