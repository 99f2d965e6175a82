import Glibc
import KeychainClient
import KeychainModel

/// Access groups: which items programs share, and which programs these are.
extension AccessSite {
    func groups() throws(KeychainError) -> PageResponse {
        let users = programs()
        let groups = try catalogue.index().groups.map { name, count -> PageValues in
            var selection = ItemSelection()
            selection.group = name
            let group = GroupName(name)
            let programs =
                (group.program.map { [$0] } ?? [])
                + (users[name] ?? []).filter { $0.path == nil || $0.path != group.path }.map(\.values)
            return [
                "name": name.isEmpty ? "(no name)" : ForeignText.shown(name), "explanation": group.explanation,
                "count": count == 1 ? "1 item" : "\(PageDate.number(count)) items", "href": selection.path,
                "hasPrograms": !programs.isEmpty, "programs": programs,
            ]
        }
        return framed(
            "programs",
            title: "Access groups",
            in: "/groups",
            [
                "note": "Each item belongs to an access group. Programs see the items of their own groups.",
                "isEmpty": groups.isEmpty, "emptyText": "The keychain has no items.", "groups": groups,
            ]
        )
    }
}

extension AccessSite {
    private static let mostLines = 5_000
    private static let mostPrograms = 20

    /// The programs that have used items of each group, as the service knew them when they last did. Empty without a record
    /// that can be read.
    private func programs() -> [String: [GroupUser]] {
        guard let recordPath, let lines = try? AuditRecord.lines(of: recordPath, isNewestAlone: true) else {
            return [:]
        }
        var users: [String: [GroupUser]] = [:]
        for line in lines.suffix(Self.mostLines).reversed() where RecordDay.isSuccess(line) {
            guard let entry = AuditRecord.Entry(line: line), let kind = entry.kind else { continue }
            let user = GroupUser(name: entry.caller, kind: kind)
            for group in entry.groups ?? [] {
                let known = users[group] ?? []
                if known.count < Self.mostPrograms, !known.contains(where: { $0.name == user.name }) {
                    users[group] = known + [user]
                }
            }
        }
        return users
    }
}

/// A program that has used a group's items.
private struct GroupUser {
    /// Its application identifier, or `program.` and its path or its digest.
    let name: String
    /// `installed`, `signed` or `unsigned`.
    let kind: String

    var path: String? { GroupName(name).path }

    var values: PageValues {
        let isSigned = kind != "unsigned"
        return [
            "path": ForeignText.shown(path ?? name, most: 500),
            "team": isSigned ? ForeignText.shown(String(name.prefix { $0 != "." })) : "No team",
            "state": kind == "installed" ? "Signed and installed" : isSigned ? "Signed, not installed" : "Not signed",
            "isGood": kind == "installed", "isBad": false,
        ]
    }
}

/// What the name of an access group says of its programs.
struct GroupName {
    let name: String

    init(_ name: String) { self.name = name }

    private static let ofProgram = "program."
    private static let ofCopy = "signed-copy."

    fileprivate var path: String? {
        guard name.hasPrefix(Self.ofProgram), name.dropFirst(Self.ofProgram.count).hasPrefix("/") else { return nil }
        return String(name.dropFirst(Self.ofProgram.count))
    }

    var explanation: String {
        if path != nil { return "Items of the one program at this path. It is not signed." }
        if name.hasPrefix(Self.ofProgram) { return "Items of one program that is not signed, known by its contents." }
        if name.hasPrefix(Self.ofCopy) { return "Items of a signed program that is not installed." }
        switch name {
        case "security": return "Items that were added by the command security, or on these pages."
        case "chatelaine.devices": return "The names of your devices."
        default: break
        }
        let team = name.prefix { $0 != "." }
        if team.utf8.count == 10, team.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) }),
            team.count < name.count
        {
            return "Items of programs that the team \(team) has signed."
        }
        return "Items of programs that list this group in their entitlements."
    }

    /// Who reads the items of the group.
    var readers: String {
        switch name {
        case "security": "The command security and these pages can read it."
        default:
            path == nil ? "Programs of this group can read it, and no others." : "The program at this path can read it."
        }
    }

    /// The program that the name names.
    var program: PageValues? {
        guard let path else { return nil }
        let isThere = unsafe access(path, F_OK) == 0
        return [
            "path": ForeignText.shown(path, most: 500), "team": "No team",
            "state": isThere ? "Not signed" : "Not installed", "isGood": false, "isBad": !isThere,
        ]
    }
}
