import Foundation

extension CXF {
    /// - Throws: for a file that is not in the format, is encrypted, or is too large. An entry that cannot be taken is
    ///   named in the contents, and is no error.
    package static func read(_ bytes: [UInt8]) throws(ImportFailure) -> CXFContents {
        guard bytes.count <= largestFile else { throw ImportFailure("the file is larger than 64 MiB") }
        guard !bytes.starts(with: Array("PK".utf8)) else {
            throw ImportFailure("the file is an archive, as encrypted exchanges are; \(whatToChoose)")
        }
        // The compact form of JSON Web Encryption: Base64url of an object, and four dots.
        guard !bytes.starts(with: Array("eyJ".utf8)) else { throw encrypted }
        let accounts = try document(bytes).accounts
        guard accounts.reduce(0, { $0 + $1.items.count }) <= mostItems else {
            throw ImportFailure("the file has more than \(mostItems) entries")
        }
        return contents(of: accounts)
    }

    /// Whether the bytes are JSON of this format, and not of another one. It does not check that they can be read.
    package static func recognizes(_ bytes: [UInt8]) -> Bool {
        guard let names = try? JSONDecoder().decode(CXFMemberNames.self, from: Data(bytes)).names else { return false }
        return names.contains("accounts") || names.isSuperset(of: ["items", "collections", "email"])
    }

    private static func document(_ bytes: [UInt8]) throws(ImportFailure) -> CXFDocument {
        let decoder = JSONDecoder()
        if let key = CXFAllowance.key { decoder.userInfo[key] = CXFAllowance() }
        do {
            return try decoder.decode(CXFDocument.self, from: Data(bytes))
        } catch let failure as ImportFailure {
            throw failure
        } catch DecodingError.dataCorrupted {
            throw ImportFailure("the file is not JSON, or is cut short")
        } catch {
            throw ImportFailure("the JSON in the file is not of the Credential Exchange Format")
        }
    }

    private static func contents(of accounts: [CXFAccount]) -> CXFContents {
        let folders = CXFFolders(accounts)
        var contents = CXFContents()
        for account in accounts {
            for item in account.items {
                let (passwords, passkeys) = item.contents(in: folders.paths(of: item, in: account))
                contents.passwords += passwords
                contents.passkeys += passkeys
            }
        }
        return contents
    }
}

/// What a file in the Credential Exchange Format has.
package struct CXFContents: Sendable {
    /// With the entries that are not to be added: these have a `refusal`.
    package var passwords: [ImportedPassword] = []
    /// With those that cannot be added: these have a `refusal`.
    package var passkeys: [ImportedPasskey] = []
}
