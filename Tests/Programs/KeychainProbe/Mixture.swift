import Foundation
import Security

/// Programs that get into each other's way.
enum Mixture {
    /// All four calls on items of its own and of others for a while. Prints each failure and the longest call.
    static func run(name: String, seconds: Double) {
        let end = Date() + seconds
        let clock = ContinuousClock()
        var longest = Duration.zero
        var calls = 0
        func call(_ operation: String, _ allowed: Set<OSStatus>, _ body: () -> OSStatus) {
            var status: OSStatus = 0
            longest = max(longest, clock.measure { status = body() })
            calls += 1
            if !allowed.contains(status) { print(line: "failed \(operation) \(status)") }
        }
        var round = 0
        while Date() < end {
            let own = "\(name)-\(round)"
            let shared = "shared-\(round % 7)"
            call("add", [errSecSuccess]) { Items.add(own) }
            call("find", [errSecSuccess]) { Items.find(own) }
            call("update", [errSecSuccess]) { Items.update(own) }
            call("add shared", [errSecSuccess, errSecDuplicateItem]) { Items.add(shared) }
            call("find shared", [errSecSuccess, errSecItemNotFound]) { Items.find(shared) }
            call("update shared", [errSecSuccess, errSecItemNotFound]) { Items.update(shared) }
            call("delete shared", [errSecSuccess, errSecItemNotFound]) { Items.delete(shared) }
            if round % 3 == 0 { call("delete", [errSecSuccess]) { Items.delete(own) } }
            round += 1
        }
        print(line: "calls \(calls)")
        print(
            line:
                "longest \(longest.components.seconds * 1000 + longest.components.attoseconds / 1_000_000_000_000_000)"
        )
    }

    /// Adds the same items as everybody else, and prints those that it was the one to add.
    static func race(keys: Int) {
        for index in 0..<keys {
            let status = Items.add("race-\(index)")
            if status == errSecSuccess {
                print(line: "won \(index)")
            } else if status != errSecDuplicateItem {
                print(line: "failed \(status)")
            }
        }
    }
}
