import Foundation
import KeychainClient
import KeychainModel

/// The record: who has asked the service for what, when, with which outcome.
extension AccessSite {
    private static let rows = 100
    private static let days = 28

    func record(_ selection: RecordSelection) throws(KeychainError) -> PageResponse {
        guard let recordPath else {
            return emptyRecord(
                "Only a keychain service keeps a record. Here each program opens the keychain by itself."
            )
        }
        let lines: [String]
        do throws(KeychainError) {
            lines = try AuditRecord.lines(of: recordPath)
        } catch {
            switch error.code {
            case .itemNotFound: return emptyRecord("Nothing was recorded yet.")
            case .noPermission:
                return emptyRecord("Only root can read the record of this service: sudo chatelaine audit --system")
            default: throw error
            }
        }
        let found = lines.reversed().lazy.filter(selection.includes)
        var shown: [AuditRecord.Entry] = []
        var isMore = false
        for line in found.dropFirst((selection.page - 1) * Self.rows) {
            guard shown.count < Self.rows else {
                isMore = true
                break
            }
            if let entry = AuditRecord.Entry(line: line) { shown.append(entry) }
        }
        let days = RecordDay.all(of: lines, latest: Self.days)
        var values: PageValues = [
            "note": "Who has asked the keychain service for what. It names no account and no value.",
            "query": selection.text, "day": selection.day ?? "", "hasFilters": selection.restricts,
            "clearHref": "/audit",
            "filters": [
                [
                    "name": "outcome", "label": "Outcome",
                    "options": [("", "All outcomes"), ("ok", "Allowed"), ("failed", "Refused or failed")].map {
                        ["value": $0.0, "name": $0.1, "isSelected": $0.0 == (selection.outcome ?? "")] as PageValues
                    },
                ] as PageValues
            ],
            "isKept": true, "hasDays": !days.isEmpty, "days": days.map(\.values), "isEmpty": shown.isEmpty,
            "emptyText": "Nothing in the record matches.", "rows": shown.map(\.row),
            "range": shown.isEmpty
                ? "" : "\((selection.page - 1) * Self.rows + 1)–\((selection.page - 1) * Self.rows + shown.count)",
            "pages": isMore || selection.page > 1,
        ]
        if selection.page > 1 { values["previous"] = selection.path(page: selection.page - 1) }
        if isMore { values["next"] = selection.path(page: selection.page + 1) }
        return framed("audit", title: "Record", in: "/audit", values)
    }

    private func emptyRecord(_ text: String) -> PageResponse {
        framed(
            "audit",
            title: "Record",
            in: "/audit",
            [
                "note": "Who has asked the keychain for what.", "query": "", "day": "", "hasFilters": false,
                "isEmpty": true, "emptyText": text, "isKept": false, "hasDays": false, "pages": false,
            ]
        )
    }

    /// What the record says of one item, the latest first.
    func trail(of reference: PersistentReference, most: Int = 10) -> PageValues? {
        guard let recordPath, let uuid = reference.uuid?.description,
            let lines = try? AuditRecord.lines(of: recordPath, isNewestAlone: true)
        else { return nil }
        let entries = lines.reversed().lazy.filter { $0.contains(uuid) }.compactMap { AuditRecord.Entry(line: $0) }
        let rows = entries.prefix(most).map(\.row)
        return rows.isEmpty ? nil : ["rows": Array(rows)]
    }
}

/// Which lines of the record a page shows.
struct RecordSelection {
    let text: String
    let outcome: String?
    /// Such as `2026-11-29`.
    let day: String?
    let page: Int

    init(_ query: FormFields) {
        text = String((query["query"] ?? "").prefix(ItemSummary.mostCharacters))
        outcome = query["outcome"].flatMap { ["ok", "failed"].contains($0) ? $0 : nil }
        day = query["day"].flatMap { $0.wholeMatch(of: #/\d{4}-\d{2}-\d{2}/#) == nil ? nil : $0 }
        page = min(max(1, query["page"].flatMap(Int.init) ?? 1), 10_000)
    }

    var restricts: Bool { !text.isEmpty || outcome != nil || day != nil }

    func path(page: Int) -> String {
        var fields: [(String, String)] = []
        if !text.isEmpty { fields.append(("query", text)) }
        if let outcome { fields.append(("outcome", outcome)) }
        if let day { fields.append(("day", day)) }
        if page > 1 { fields.append(("page", String(page))) }
        return "/audit" + (fields.isEmpty ? "" : "?" + FormFields.query(fields))
    }

    /// Looks at a line as it is: most lines of a long record are not shown.
    func includes(_ line: String) -> Bool {
        if let day, RecordDay.day(of: line) != day[...] { return false }
        if let outcome, RecordDay.isSuccess(line) != (outcome == "ok") { return false }
        return text.isEmpty || line.lowercased().contains(text.lowercased())
    }
}

/// How often the keychain was used on one day.
struct RecordDay {
    let day: String
    var count = 0
    var failures = 0
    /// Of the day with most uses, for the height of its bar.
    var highest = 1

    private static let beginning = "{\"time\":\""

    static func day(of line: String) -> Substring { line.dropFirst(beginning.count).prefix(10) }

    static func isSuccess(_ line: String) -> Bool { line.contains("\"outcome\":\"ok\"") }

    /// The latest days with any use, the oldest first.
    static func all(of lines: [String], latest: Int) -> [RecordDay] {
        var days: [String: RecordDay] = [:]
        for line in lines where line.hasPrefix(beginning) {
            let name = String(day(of: line))
            days[name, default: RecordDay(day: name)].count += 1
            if !isSuccess(line) { days[name]?.failures += 1 }
        }
        let sorted = days.values.sorted { $0.day < $1.day }.suffix(latest)
        let highest = sorted.map(\.count).max() ?? 1
        return sorted.map { day in
            var day = day
            day.highest = highest
            return day
        }
    }

    /// The heights that the stylesheet has.
    private static let steps = 20

    var values: PageValues {
        let whole = max(1, count * Self.steps / highest)
        let failed = failures == 0 ? 0 : max(1, failures * Self.steps / highest)
        var values: PageValues = [
            "day": day, "href": "/audit?day=\(day)", "count": PageDate.number(count),
            "failures": PageDate.number(failures), "barClass": "h-\(max(0, whole - failed))",
            "failureClass": "h-\(failed)",
        ]
        if day.hasSuffix("01") || day.hasSuffix("15") { values["tick"] = String(day.suffix(5)) }
        return values
    }
}

extension AuditRecord.Entry {
    /// A line of a table.
    var row: PageValues {
        let date = try? Date(time, strategy: .iso8601.year().month().day().time(includingFractionalSeconds: true))
        let what = operationName + (count.map { $0 == 1 ? "" : " (\($0))" } ?? "")
        return [
            "when": date.map { PageDate.text($0.timeIntervalSinceReferenceDate) } ?? ForeignText.shown(time),
            "whenISO": time, "program": ForeignText.shown(programName), "what": what,
            "group": ForeignText.shown((groups ?? []).joined(separator: ", ")),
            "outcome": outcome == "ok" ? "Allowed" : ForeignText.shown(outcome), "isFailure": outcome != "ok",
        ]
    }

    private var programName: String {
        onBehalfOf.map { "\(caller), for “\($0)”, as it says" } ?? caller
    }

    private var operationName: String {
        switch operation {
        case "find": "Read"
        case "owner-find": "Shown to the owner"
        case "owner-update": "Changed by the owner"
        case "owner-delete": "Deleted by the owner"
        case "evaluate": "Asked the owner"
        case "open-view": "Asked to see all items"
        case "add": "Added"
        case "update": "Changed"
        case "delete": "Deleted"
        case "sign": "Signed with a key"
        case "agree": "Agreed on a key"
        case "make-key": "Made a key"
        case "connect": "Connected"
        case "backup": "Made a backup"
        case "export": "Exported"
        case "restore": "Restored a backup"
        case "omitted", "omitted-backups": "Older lines that are omitted"
        default: ForeignText.shown(operation)
        }
    }
}
