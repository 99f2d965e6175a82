import KeychainCircles

extension SyncReport {
    /// What was done, in sentences for people.
    package var sentences: [String] {
        guard isMember || isReading else { return ["this device was removed from its circle"] }
        var lines: [String] = []
        func add(_ count: Int, _ unit: String, _ text: String) {
            if count > 0 { lines.append("\(count) \(unit)\(count == 1 ? "" : "s") \(text)") }
        }
        add(sent, "item", "sent")
        add(received, "item", "received")
        add(removed, "item", "removed")
        add(lost, "item", "lost against another change; the earlier version is kept")
        add(repaired, "item", "damaged here, and read again from the circle")
        add(damaged, "item", "damaged here, and nowhere else now")
        add(refused, "item", "refused: no program could have stored them here")
        add(tooLarge, "item", "too large to travel")
        add(devicesAdded, "device", "added to the circle")
        add(devicesRemoved, "device", "removed from the circle")
        if isWaitingForUnlock { lines.append("something waits until the keychain is unlocked") }
        if isWaitingForOthers { lines.append("something that another device has written is not here yet") }
        if isReading { lines.append("the circle has not been read to its end yet") }
        return lines
    }
}
