import KeychainSync

/// A folder or a server: it may lose, delay, repeat and withhold, until it is told to be honest.
final class Transport {
    /// Every version that was ever written under a name.
    private var versions: [String: [[UInt8]]] = [:]
    /// What was removed.
    private var removed: [String: [[UInt8]]] = [:]
    private(set) var isHonest = false

    func beHonest() { isHonest = true }

    func write(_ name: String, _ bytes: [UInt8], _ random: inout SeededRandom) {
        // What is lost is written again when its device looks for it.
        if !isHonest, random.chance(5) { return }
        if versions[name]?.last == bytes { return }
        versions[name, default: []].append(bytes)
    }

    func remove(_ name: String, _ random: inout SeededRandom) {
        if isHonest || random.chance(60) { removed[name] = versions.removeValue(forKey: name) ?? removed[name] }
    }

    /// Shows again what was removed.
    func replay() {
        for (name, all) in removed where versions[name] == nil { versions[name] = all }
    }

    /// What is there now.
    var newest: [String: [UInt8]] { versions.compactMapValues(\.last) }

    /// What one device is shown.
    func view(_ random: inout SeededRandom) -> [String: [UInt8]] {
        var view: [String: [UInt8]] = [:]
        for (name, all) in versions.sorted(by: { $0.key < $1.key }) {
            guard let newest = all.last else { continue }
            if isHonest {
                view[name] = newest
                continue
            }
            if random.chance(15) { continue }
            view[name] = random.chance(15) ? all.randomElement(using: &random) : newest
        }
        return view
    }
}
