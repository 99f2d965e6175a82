import Foundation
package import KeychainModel

/// The record of the keychain service, as its owner may read it (docs/formats/audit-log.md).
package enum AuditRecord {
    /// One line of it.
    package struct Entry: Decodable, Sendable {
        /// UTC, such as `2026-03-01T12:00:00.000Z`.
        package let time: String
        package let caller: String
        /// `installed`, `signed` or `unsigned`.
        package let kind: String?
        package let onBehalfOf: String?
        package let operation: String
        package let `class`: String?
        package let groups: [String]?
        package let outcome: String
        package let count: Int?
        package let rows: [String]?

        /// - Returns: nil for a line that was being written when the power went.
        package init?(line: some StringProtocol) {
            guard let entry = try? JSONDecoder().decode(Entry.self, from: Data(line.utf8)) else { return nil }
            self = entry
        }
    }

    /// The lines of the files, the oldest first.
    ///
    /// - Parameters:
    ///   - path: of the newest file.
    ///   - isNewestAlone: whether the others are left out.
    /// - Throws: `itemNotFound` where there is no record; `noPermission` where it is there and cannot be read.
    package static func lines(of path: String, isNewestAlone: Bool = false) throws(KeychainError) -> [String] {
        var lines: [String] = []
        var isThere = false
        let others = isNewestAlone ? [] : (1...9).reversed().map { "\(path).\($0)" }
        for name in others + [path] {
            guard let data = FileManager.default.contents(atPath: name) else {
                if FileManager.default.fileExists(atPath: name) {
                    throw KeychainError(.noPermission, "\(name) cannot be read")
                }
                continue
            }
            isThere = true
            lines += String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
        }
        guard isThere else {
            throw KeychainError(.itemNotFound, "there is no record at \(path), or it may not be read")
        }
        return lines
    }
}
