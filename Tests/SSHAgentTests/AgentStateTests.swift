import Testing

@testable import SSHAgentProtocol

/// Keys in memory: listed, replaced, removed, for a time, and behind a passphrase.
struct AgentStateTests {
    @Test func `keys are listed in their order, and removed one by one or all together`() throws {
        var agent = TestAgent()
        let keys = try (0..<3).map { _ in try SampleKey() }
        for (index, key) in keys.enumerated() {
            #expect(agent.answer(key.adding(comment: "key \(index)")) == .reply(.success))
        }
        #expect(agent.list() == ["key 0", "key 1", "key 2"])
        #expect(agent.answer([18] + string(keys[1].blob)) == .reply(.success))
        #expect(agent.answer([18] + string(keys[1].blob)) == .reply(.failure))
        #expect(agent.list() == ["key 0", "key 2"])
        #expect(agent.answer([19]) == .reply(.success))
        #expect(agent.list() == [])
    }

    @Test func `a key that is added again has its new comment and constraints`() throws {
        var agent = TestAgent()
        let key = try SampleKey()
        _ = agent.answer(key.adding(comment: "old"))
        _ = agent.answer(key.adding(comment: "new", constraints: [2]))
        #expect(agent.list() == ["new"])
        #expect(agent.answer(key.signing([1])) == .signature(.unknown, asks: true))
    }

    @Test func `a key is gone when its time is over`() throws {
        var agent = TestAgent()
        let key = try SampleKey()
        _ = agent.answer(key.adding(constraints: [1] + u32(60)))
        #expect(agent.state.nextEnd == 61_000)
        agent.clock += 59_999
        #expect(agent.answer(key.signing([1])) == .signature(.unknown, asks: false))
        agent.clock += 1
        #expect(agent.answer(key.signing([1])) == .reply(.failure))
        #expect(agent.state.keyCount == 0)
    }

    @Test func `the longest time at the end of the clock overflows nothing`() throws {
        var agent = TestAgent()
        agent.clock = .max - 5
        #expect(try agent.answer(SampleKey().adding(constraints: [1] + u32(0xFFFF_FFFF))) == .reply(.success))
        #expect(agent.state.keyCount == 1)
    }

    @Test(arguments: [
        [3], [0], [1, 0, 0, 0, 1, 1, 0, 0, 0, 1], [2, 2], [1, 0, 0], [254], [255] + string("other@example.org"),
        [255] + string("restrict-destination-v00@openssh.com") + string([]),
    ])
    func `a constraint that is unknown, doubled, cut short or empty refuses the key`(constraints: [UInt8]) throws {
        var agent = TestAgent()
        #expect(try agent.answer(SampleKey().adding(constraints: constraints)) == nil)
        #expect(agent.state.keyCount == 0)
    }

    @Test func `a key that nobody has added signs nothing`() throws {
        var agent = TestAgent()
        #expect(try agent.answer(SampleKey().signing([1])) == .reply(.failure))
    }

    @Test func `keys are taken in until a list of them would be too long`() throws {
        var agent = TestAgent()
        let comment = String(repeating: "x", count: 1_024)
        var taken = 0
        while try agent.answer(SampleKey().adding(comment: comment)) == .reply(.success), taken < 1_000 { taken += 1 }
        #expect((100..<130).contains(taken), "\(taken)")
        #expect(agent.list().count == taken)
    }

    // MARK: - The passphrase

    @Test func `a locked agent lists nothing, signs nothing and takes nothing, until the passphrase comes`() throws {
        var agent = TestAgent()
        let key = try SampleKey()
        _ = agent.answer(key.adding())
        agent.stored = [
            StoredKey(publicKey: try SampleKey().publicKey, comment: "kept", isInEnclave: false, asksOwner: false)
        ]
        #expect(agent.answer([22] + string("right")) == .reply(.success))
        #expect(agent.answer([22] + string("again")) == .reply(.failure))
        #expect(agent.list() == [])
        for frame in [key.signing([1]), key.adding(), [18] + string(key.blob), [19], [23] + string("wrong")] {
            #expect(agent.answer(frame) == .reply(.failure))
        }
        agent.clock += 100
        #expect(agent.answer([23] + string("right")) == .reply(.success))
        #expect(agent.list() == ["a key", "kept"])
        #expect(agent.answer([23] + string("right")) == .reply(.failure))
    }

    @Test func `wrong passphrases take longer and longer, and the right one does not count meanwhile`() throws {
        var lock = AgentLock()
        #expect(lock.lock(secret("right")) == .done)
        var clock: UInt64 = 0
        for count in 1...150 {
            let delay = UInt64(min(count * 100, 10_000))
            #expect(lock.unlock(secret("wrong"), now: clock) == .refused(afterMilliseconds: delay))
            #expect(lock.unlock(secret("right"), now: clock + delay - 1) == .refused(afterMilliseconds: 1))
            clock += delay
        }
        #expect(lock.unlock(secret("right"), now: clock) == .done)
        #expect(!lock.isLocked)
    }

    @Test func `passphrases are compared whole`() throws {
        for (right, wrong) in [("", "x"), ("right", ""), ("right", "righ"), ("right", "right\0"), ("right", "Right")] {
            var lock = AgentLock()
            _ = lock.lock(secret(right))
            #expect(lock.unlock(secret(wrong), now: 0) == .refused(afterMilliseconds: 100))
            #expect(lock.unlock(secret(right), now: 100) == .done)
        }
    }
}
