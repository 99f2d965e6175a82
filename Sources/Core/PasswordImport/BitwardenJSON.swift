import Foundation
import KeychainModel

/// Passwords in the JSON that Bitwarden and Vaultwarden export (<https://bitwarden.com/help/condition-bitwarden-import/>), of a
/// person or an organization. Logins are taken; notes, cards and identities are named.
package enum BitwardenJSON {
    /// - Throws: for what is no such file, and for one that is encrypted.
    package static func read(_ bytes: [UInt8]) throws(ImportFailure) -> [ImportedPassword] {
        let file: File
        do {
            file = try JSONDecoder().decode(File.self, from: Data(bytes))
        } catch {
            throw ImportFailure("the file is no JSON of Bitwarden")
        }
        guard file.encrypted != true else {
            throw ImportFailure("the export is encrypted; choose “.json” without a password in Bitwarden")
        }
        guard let items = file.items else { throw ImportFailure("the file has no items: it is no JSON of Bitwarden") }
        let folders = Dictionary(
            ((file.folders ?? []) + (file.collections ?? [])).compactMap { folder in
                folder.id.flatMap { id in folder.name.map { (id, $0) } }
            },
            uniquingKeysWith: { first, _ in first }
        )
        return items.map { $0.password(in: folders) }
    }

    /// All of it may be missing, or null.
    private struct File: Decodable {
        var encrypted: Bool?
        var folders: [Folder]?
        var collections: [Folder]?
        var items: [Item]?
    }

    private struct Folder: Decodable {
        var id: String?
        var name: String?
    }

    private struct Item: Decodable {
        var type: Int?
        var name: String?
        var notes: String?
        var folderId: String?
        var collectionIds: [String]?
        var deletedDate: String?
        var login: Login?
        var fields: [Anything]?
        var passwordHistory: [Anything]?

        func password(in folders: [String: String]) -> ImportedPassword {
            var password = ImportedPassword()
            password.title = name ?? ""
            password.notes = notes ?? ""
            let folder = (folderId ?? collectionIds?.first).flatMap { folders[$0] }
            password.folder = folder?.split(separator: "/").map(String.init) ?? []
            password.isDeleted = deletedDate != nil
            guard let login, type ?? Self.login == Self.login else {
                password.refusal = Self.kinds[type ?? 0] ?? "other entries"
                return password
            }
            let addresses = (login.uris ?? []).compactMap(\.uri).filter { !$0.isEmpty }
            password.url = addresses.first ?? ""
            password.userName = login.username ?? ""
            password.password = SecretBytes(Array((login.password ?? "").utf8))
            if let code = login.totp, !code.isEmpty { password.take(code: code, called: "totp") }
            if addresses.count > 1 { password.unplaced.append("other addresses") }
            if !(fields ?? []).isEmpty { password.unplaced.append("fields") }
            if !(passwordHistory ?? []).isEmpty { password.unplaced.append("older passwords") }
            if !(login.fido2Credentials ?? []).isEmpty { password.unplaced.append("passkeys") }
            return password
        }

        private static let login = 1
        private static let kinds = [2: "notes", 3: "cards", 4: "identities", 5: "SSH keys"]
    }

    private struct Login: Decodable {
        var username: String?
        var password: String?
        var totp: String?
        var uris: [Address]?
        var fido2Credentials: [Anything]?
    }

    private struct Address: Decodable { var uri: String? }

    /// What is only counted.
    private struct Anything: Decodable { init(from decoder: any Decoder) {} }
}
