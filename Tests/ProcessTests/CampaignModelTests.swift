import KeychainTestSupport
import Testing

/// The judge of a crash campaign, which has to see each fault that it looks for.
@Suite("What a crash campaign takes for a fault")
struct CampaignModelTests {
    private let key = CampaignKey(itemClass: .password, slot: 0)
    private var model = CampaignModel()

    private mutating func call(_ call: CampaignCall, _ state: Int, status: Int32) -> String? {
        model.follow(.before(call, key, state)) ?? model.follow(.after(status, milliseconds: 1))
    }

    @Test mutating func `an acknowledged item that is gone or old is a fault`() {
        #expect(call(.add, 1, status: 0) == nil)
        #expect(call(.update, 2, status: 0) == nil)
        #expect(model.allowed(key) == [2])
        var other = model
        #expect(other.follow(.found(key, .absent)) != nil)
        #expect(model.follow(.found(key, .state(1))) != nil)
    }

    @Test mutating func `a deleted item that is back is a fault`() {
        #expect(call(.add, 1, status: 0) == nil)
        #expect(call(.delete, 2, status: 0) == nil)
        #expect(model.follow(.found(key, .state(1))) != nil)
    }

    @Test
    mutating func `a kill in the middle of a change allows the state before and the one after, until somebody looks`() {
        #expect(call(.add, 1, status: 0) == nil)
        #expect(model.follow(.before(.update, key, 2)) == nil)
        #expect(model.isChanging)
        model.kill()
        #expect(model.allowed(key) == [1, 2])
        var other = model
        #expect(other.follow(.found(key, .state(3))) != nil)
        #expect(model.follow(.found(key, .state(2))) == nil)
        #expect(model.allowed(key) == [2])
        #expect(model.follow(.found(key, .state(1))) != nil)
    }

    @Test mutating func `a status that the state does not demand is a fault`() {
        #expect(call(.update, 1, status: 0) != nil)
        #expect(call(.add, 2, status: 0) == nil)
        #expect(call(.add, 3, status: 0) != nil)
        #expect(call(.find, 4, status: -25300) != nil)
    }

    @Test mutating func `half of a state is a fault`() {
        #expect(model.follow(.found(key, .broken)) != nil)
    }

    @Test func `a record is read as it was written`() {
        let records: [CampaignRecord] = [
            .ready, .found(key, .absent), .found(key, .broken), .found(key, .state(7)), .before(.delete, key, 8),
            .after(-25300, milliseconds: 12),
        ]
        for record in records { #expect(CampaignRecord(record.line) == record) }
        #expect(CampaignRecord("add password 0") == nil)
    }

    @Test func `a value that is left in a file is found there`() {
        let value = CampaignValue.bytes(key: key, writer: "writer3", state: 4)
        #expect(CampaignValue.tokens(in: [0, 1, 2] + value) == ["writer3/password/0/4"])
    }
}
