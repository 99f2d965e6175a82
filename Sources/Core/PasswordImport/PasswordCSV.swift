import KeychainModel

/// Passwords in comma-separated values, as Apple's Passwords, KeePassXC and browsers export them: the first row names the
/// columns.
package enum PasswordCSV {
    private enum Column {
        case title, url, userName, password, notes, folder
    }

    /// Names in lower case.
    private static let columns: [String: Column] = [
        "title": .title, "name": .title, "url": .url, "website": .url, "login_uri": .url,
        "username": .userName, "user name": .userName, "login_username": .userName, "login": .userName,
        "password": .password, "login_password": .password, "notes": .notes, "note": .notes, "comments": .notes,
        "group": .folder, "folder": .folder,
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
            for (column, field) in zip(order, row) {
                switch column {
                case .title: password.title = field
                case .url: password.url = field
                case .userName: password.userName = field
                case .password: password.password = SecretBytes(Array(field.utf8))
                case .notes: password.notes = field
                case .folder: password.folder = field.split(separator: "/").map(String.init)
                case nil: break
                }
            }
            passwords.append(password)
        }
        return passwords
    }

    private static func trimmed(_ text: String) -> String {
        String(text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }
}
