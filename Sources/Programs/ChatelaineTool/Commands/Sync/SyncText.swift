import Foundation
import KeychainCircles
import KeychainSync
import SyncCarrier
import Terminal

/// What commands say of a circle.
enum SyncText {
    static func items(_ count: Int) -> String { count == 1 ? "1 item" : "\(count) items" }

    /// As people read them aloud.
    static func digits(_ digits: String) -> String { digits.prefix(3) + " " + digits.dropFirst(3) }

    static func short(_ device: DeviceID) -> String { String(device.text.prefix(8)) }

    /// - Parameter clock: in milliseconds since 1970.
    static func date(_ clock: UInt64) -> String {
        Date(timeIntervalSince1970: Double(clock) / 1_000).formatted(.iso8601)
    }

    // MARK: - Rounds

    static func lines(_ report: SyncReport) -> [String] {
        report.sentences.isEmpty ? ["nothing is new"] : report.sentences
    }

    static func json(_ report: SyncReport) -> JSONText {
        func number(_ count: Int) -> JSONText { .number(Int64(count)) }
        return .object([
            ("member", .bool(report.isMember)), ("reading", .bool(report.isReading)), ("sent", number(report.sent)),
            ("received", number(report.received)), ("removed", number(report.removed)),
            ("lost", number(report.lost)), ("devicesAdded", number(report.devicesAdded)),
            ("devicesRemoved", number(report.devicesRemoved)), ("repaired", number(report.repaired)),
            ("damaged", number(report.damaged)), ("refused", number(report.refused)),
            ("tooLarge", number(report.tooLarge)), ("waitingForUnlock", .bool(report.isWaitingForUnlock)),
            ("waitingForOthers", .bool(report.isWaitingForOthers)),
        ])
    }

    // MARK: - Status

    static func line(_ member: CircleStatus.Member) -> String {
        var parts = [short(member.id)]
        if let name = member.name { parts.append(TerminalText.escaped(name)) }
        parts.append(member.isRecoveryKey ? "recovery key" : "device")
        if member.isThisDevice { parts.append("this one") }
        if !member.isRecoveryKey, !member.isThisDevice {
            parts.append(member.heard.map { "heard of at " + date($0) } ?? "not heard of yet")
            if member.hasReadAll == false { parts.append("has not confirmed all of this device") }
        }
        if let ahead = member.ahead { parts.append("its clock is \(ahead / 60_000) minutes ahead") }
        return parts.joined(separator: "  ")
    }

    static func lines(_ status: CircleStatus) -> [String] {
        let settings = status.settings
        var lines = [
            "circle   \(status.circle.text.prefix(8)), \(items(status.items))",
            TransportPlace.isAddress(settings.transport)
                ? "cluster  \(TerminalText.escaped(settings.transport))"
                : "folder   \(settings.transport.isEmpty ? "none" : TerminalText.escaped(settings.transport))",
            "last     \(settings.lastRound == 0 ? "never" : date(settings.lastRound))",
        ]
        if let failure = status.failure { lines.append("failed   \(TerminalText.escaped(failure))") }
        if !status.isMember { lines.append("state    this device was removed from the circle, or was not added yet") }
        if status.isReading { lines.append("state    the circle has not been read to its end yet") }
        if status.lost > 0 {
            lines.append("lost     \(items(status.lost)) against another device's change; see: chatelaine history")
        }
        if status.unsent > 0 { lines.append("waits    \(items(status.unsent)) of this device to be sent") }
        if status.isWaitingForUnlock { lines.append("waits    for an unlock of the keychain") }
        if settings.waitingSince > 0 {
            lines.append("waits    for what another device has written, since \(date(settings.waitingSince))")
        }
        return lines + status.members.map { "member   " + line($0) }
    }

    static func json(_ member: CircleStatus.Member) -> JSONText {
        .object([
            ("id", .string(member.id.text)), ("name", member.name.map { .string($0) } ?? .null),
            ("kind", .string(member.isRecoveryKey ? "recoveryKey" : "device")),
            ("thisDevice", .bool(member.isThisDevice)), ("heard", member.heard.map { .string(date($0)) } ?? .null),
            ("clockAheadSeconds", member.ahead.map { .number(Int64($0 / 1_000)) } ?? .null),
            ("hasReadAll", member.hasReadAll.map { .bool($0) } ?? .null),
        ])
    }

    static func json(_ status: CircleStatus) -> JSONText {
        let settings = status.settings
        return .object([
            ("circle", .string(status.circle.text)), ("member", .bool(status.isMember)),
            ("reading", .bool(status.isReading)), ("folder", .string(settings.transport)),
            ("items", .number(Int64(status.items))), ("unsent", .number(Int64(status.unsent))),
            ("lost", .number(Int64(status.lost))),
            ("waitingForUnlock", .bool(status.isWaitingForUnlock)),
            ("lastRound", settings.lastRound == 0 ? .null : .string(date(settings.lastRound))),
            ("failure", status.failure.map { .string($0) } ?? .null),
            ("waitingForOthersSince", settings.waitingSince == 0 ? .null : .string(date(settings.waitingSince))),
            ("members", .array(status.members.map(json))),
        ])
    }
}
