import Foundation
import KeychainCircles
import KeychainModel
import KeychainSync

/// The owner's devices, and how synchronization stands.
extension AccessSite {
    func devices() throws(KeychainError) -> PageResponse {
        let status: CircleStatus
        do throws(KeychainError) {
            status = try catalogue.keychain.status()
        } catch {
            guard error.code == .itemNotFound else { throw error }
            return devices(
                note: "This keychain is not synchronized with other devices.",
                [],
                [],
                commands: [
                    (
                        "Begin on this device, with a folder that Syncthing, NFS or a USB stick carries:",
                        "chatelaine sync create FOLDER"
                    ),
                    ("Or join a device that shares its items already:", "chatelaine sync join FOLDER"),
                ]
            )
        }
        let settings = status.settings
        let facts = [
            ("Items", PageDate.number(status.items)),
            ("Folder", settings.transport.isEmpty ? "None" : ForeignText.shown(settings.transport, most: 500)),
            ("Last synchronized", settings.lastRound == 0 ? "Never" : PageDate.text(Self.seconds(settings.lastRound))),
            ("Waiting to be sent", PageDate.number(status.unsent)),
            ("Lost against another device’s change", PageDate.number(status.lost)),
        ].map { ["name": $0.0, "value": $0.1, "isMono": false, "isTime": false] as PageValues }
        return devices(
            note: status.isMember
                ? status.isReading
                    ? "This device reads the circle for the first time."
                    : "Synchronized items travel between these devices, encrypted for them alone."
                : "This device does not belong to the circle any more.",
            [["title": "Synchronization", "facts": facts]],
            status.members.map(Self.values),
            commands: [
                ("Add a device: on it", "chatelaine sync join FOLDER"), ("and here", "chatelaine sync approve"),
                ("Remove a device:", "chatelaine sync remove NAME"),
            ]
        )
    }

    private func devices(
        note: String,
        _ groups: [PageValues],
        _ devices: [PageValues],
        commands: [(help: String, text: String)]
    ) -> PageResponse {
        framed(
            "devices",
            title: "Devices",
            in: "/devices",
            [
                "note": note, "groups": groups, "devices": devices, "hasDevices": !devices.isEmpty,
                "hasCommands": !commands.isEmpty,
                "commands": commands.map { ["help": $0.help, "text": $0.text] as PageValues },
            ]
        )
    }

    private static func values(_ member: CircleStatus.Member) -> PageValues {
        let name = member.name.map { ForeignText.shown($0) } ?? (member.isRecoveryKey ? "Recovery key" : "(no name)")
        let seen =
            member.isThisDevice
            ? "Now" : member.heard.map { PageDate.text(seconds($0)) } ?? (member.isRecoveryKey ? "" : "Not yet")
        return [
            "name": name, "isThis": member.isThisDevice, "digits": String(member.id.text.prefix(8)), "lastSeen": seen,
        ]
    }

    /// Seconds since 2001 of milliseconds since 1970.
    private static func seconds(_ clock: UInt64) -> Double {
        Double(clock) / 1_000 - Date.timeIntervalBetween1970AndReferenceDate
    }
}
