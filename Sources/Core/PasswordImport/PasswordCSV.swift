import KeychainModel

/// Passwords in comma-separated values, as Apple's Passwords, KeePassXC and browsers export them: the first row names the
/// columns.
package enum PasswordCSV {
    private enum Column {
        case title, url, userName, password, notes, folder, code
    }

    /// Names in lower case.
    private static let columns: [String: Column] = [
        "title": .title, "name": .title, "url": .url, "website": .url, "login_uri": .url,
        "username": .userName, "user name": .userName, "login_username": .userName, "login": .userName,
        "password": .password, "login_password": .password, "notes": .notes, "note": .notes, "comments": .notes,
        "group": .folder, "folder": .folder, "otpauth": .code, "totp": .code, "login_totp": .code,
    ]

    /// - Throws: where there is no row with the columns' names, and no column of passwords; what is wrong with a row.
    package static func read(_ bytes: [UInt8]) throws(ImportFailure) -> [ImportedPassword] {
        var reader = CSVReader(bytes)
        guard let names = try reader.next() else { throw ImportFailure("the file is empty") }
        let order = names.map { columns[trimmed($0).lowercased()] }
        guard order.contains(.password) else {
            throw ImportFailure("the first line names no column “Password”: it is no list of passwords")
        }
        var passwords: [ImportedPassword] = []
        while case let line = reader.line, let row = try reader.next() {
            guard row.count <= order.count else { throw ImportFailure("line \(line) has more fields than the first") }
            var password = ImportedPassword()
            for (number, (column, field)) in zip(order, row).enumerated() where !field.isEmpty {
                // A second column of one meaning is not taken for the first.
                switch column {
                case .title where password.title.isEmpty: password.title = field
                case .url where password.url.isEmpty:
                    let addresses = addresses(in: field)
                    password.url = addresses.first ?? field
                    if addresses.count > 1 { password.unplaced.append("other addresses") }
                case .userName where password.userName.isEmpty: password.userName = field
                case .password where password.password.count == 0:
                    password.password = SecretBytes(Array(field.utf8))
                case .notes where password.notes.isEmpty: password.notes = field
                case .folder where password.folder.isEmpty && field != root:
                    password.folder = field.split(separator: "/").map(String.init)
                case .folder where field == root: break
                case .code where password.code == nil: password.take(code: field, called: trimmed(names[number]))
                case .title, .url, .userName, .password, .notes, .folder, .code, nil:
                    password.unplaced.append(trimmed(names[number]))
                }
            }
            passwords.append(password)
        }
        return passwords
    }

    /// What KeePassXC calls the folder that everything is in.
    private static let root = "Root"

    /// Bitwarden writes all addresses of an entry into one field.
    private static func addresses(in field: String) -> [String] {
        let parts = field.split(separator: ",").map(String.init)
        return parts.allSatisfy({ WebPlace($0) != nil }) ? parts : [field]
    }

    private static func trimmed(_ text: String) -> String {
        String(text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }
}
