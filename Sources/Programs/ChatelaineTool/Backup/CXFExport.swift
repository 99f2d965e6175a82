import Foundation
import KeychainCodes
import KeychainModel
import PasswordImport

/// Passwords and one-time codes in the Credential Exchange Format. Passkeys are another program's.
struct CXFExport: ExportText {
    private var writer = CXFWriter(timestamp: Int64(Date().timeIntervalSince1970)) { RandomBytes.make(16) }
    /// The one-time codes that are in no entry yet, by what they go with.
    private var codes: [CodeKey: (title: String, code: OneTimeCode)] = [:]

    /// The codes that cannot be read, each with the reason.
    private var damaged: [String] = []

    var unwritten: [String] { damaged + writer.unwritten }

    func start() -> [UInt8] { writer.start() }

    mutating func note(_ item: BackupItem) {
        guard let place = CodeItem.place(of: item.attributes), let secret = item.secrets[.valueData] else { return }
        let title = item.text(.label) ?? place
        do throws(CodeFailure) {
            let code = try OneTimeCode(stored: secret)
            codes[CodeKey(place: place, account: item.text(.account) ?? "")] = (title, code)
        } catch {
            damaged.append("\(title): \(error.message)")
        }
    }

    mutating func text(of item: BackupItem) -> [UInt8]? {
        guard item.itemClass == .genericPassword || item.itemClass == .internetPassword,
            CodeItem.place(of: item.attributes) == nil, let value = item.secrets[.valueData]
        else { return nil }
        let place = item.text(.server) ?? item.text(.service) ?? ""
        let key = CodeKey(place: place, account: item.text(.account) ?? "")
        var password = ImportedPassword()
        password.title = item.text(.label) ?? place
        password.url = item.url
        password.userName = key.account
        password.password = value
        password.notes = item.text(.comment) ?? ""
        password.code = codes[key]?.code
        guard let text = writer.entry(password) else { return nil }
        codes[key] = nil
        return text
    }

    /// The codes without a password, and the end.
    mutating func end() -> [UInt8] {
        var text: [UInt8] = []
        for (key, value) in codes.sorted(by: { ($0.key.place, $0.key.account) < ($1.key.place, $1.key.account) }) {
            var password = ImportedPassword()
            password.title = value.title
            password.userName = key.account
            password.code = value.code
            text += writer.entry(password) ?? []
        }
        return text + writer.end()
    }
}
