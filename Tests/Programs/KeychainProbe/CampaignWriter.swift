import Foundation
import KeychainTestSupport
import Security

/// A writer of a crash campaign: it works on items of its own until it is killed, and says before and after each call
/// what it does (`CampaignRecord`).
enum CampaignWriter {
    /// - Parameters:
    ///   - name: the writer's, which its items bear.
    ///   - firstState: the number of the first state that it writes. No two states of a campaign have the same.
    static func run(name: String, seed: UInt64, firstState: Int) {
        let campaign = getppid()
        var random = SplitMix64(state: seed)
        var states: [CampaignKey: Int] = [:]
        for key in CampaignKey.all {
            let state = observedState(of: key, writer: name)
            states[key] = state.number
            print(line: CampaignRecord.found(key, state).line)
        }
        print(line: CampaignRecord.ready.line)
        for state in firstState... {
            // Nobody is left to end it where the campaign itself was ended.
            guard getppid() == campaign else { return }
            guard let key = CampaignKey.all.randomElement(using: &random) else { return }
            let call = CampaignCall.random(using: &random)
            print(line: CampaignRecord.before(call, key, state).line)
            let clock = ContinuousClock()
            var status: OSStatus = 0
            let duration = clock.measure { status = make(call, key, state, writer: name) }
            print(line: CampaignRecord.after(status, milliseconds: duration.milliseconds).line)
        }
    }

    private static func make(_ call: CampaignCall, _ key: CampaignKey, _ state: Int, writer: String) -> OSStatus {
        let query = query(key, writer)
        switch call {
        case .add:
            return SecItemAdd(query.merging(contents(key, writer, state)) { $1 } as CFDictionary, nil)
        case .update:
            return SecItemUpdate(query as CFDictionary, contents(key, writer, state) as CFDictionary)
        case .delete:
            return SecItemDelete(query as CFDictionary)
        case .find:
            var result: CFTypeRef?
            return SecItemCopyMatching(query.merging([kSecReturnData: true]) { $1 } as CFDictionary, &result)
        }
    }

    private static func query(_ key: CampaignKey, _ writer: String) -> [CFString: Any] {
        let name = key.name(of: writer)
        return switch key.itemClass {
        case .password: [kSecClass: kSecClassGenericPassword, kSecAttrService: "campaign", kSecAttrAccount: name]
        case .certificate: [kSecClass: kSecClassCertificate, kSecAttrSerialNumber: Data(name.utf8)]
        case .key: [kSecClass: kSecClassKey, kSecAttrApplicationLabel: Data(name.utf8)]
        }
    }

    private static func contents(_ key: CampaignKey, _ writer: String, _ state: Int) -> [CFString: Any] {
        [kSecAttrLabel: "\(state)", kSecValueData: CampaignValue.bytes(key: key, writer: writer, state: state)]
    }

    /// The state that an item is found in.
    private static func observedState(of key: CampaignKey, writer: String) -> CampaignRecord.FoundState {
        var result: CFTypeRef?
        let wanted: [CFString: Any] = [kSecReturnData: true, kSecReturnAttributes: true]
        let status = SecItemCopyMatching(query(key, writer).merging(wanted) { $1 } as CFDictionary, &result)
        if status == errSecItemNotFound { return .absent }
        guard status == errSecSuccess, let item = result as? [String: Any],
            let label = item[kSecAttrLabel as String] as? String, let state = Int(label),
            let value = item[kSecValueData as String] as? Data
        else { return .broken }
        return value == CampaignValue.bytes(key: key, writer: writer, state: state) ? .state(state) : .broken
    }
}

extension Duration {
    fileprivate var milliseconds: Int {
        Int(components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000)
    }
}
