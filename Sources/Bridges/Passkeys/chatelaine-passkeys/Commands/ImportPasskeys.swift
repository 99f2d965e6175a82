import ArgumentParser
import Crypto
import Glibc
import KeychainModel
import KeychainSystem
import PasskeyProtocol
import PasswordImport
import Terminal

struct ImportPasskeys: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Add the passkeys of a file in the Credential Exchange Format, which other password managers export.",
        discussion: """
            They are on all devices, where the keychain shares items with others: a key that was in a file cannot go into the \
            Secure Enclave. The owner of the keychain confirms it. Passkeys that are there already stay as they are. The \
            file is not encrypted: delete it afterwards. Its passwords: chatelaine import.
            """
    )

    @Argument(help: "The file.")
    var file: String

    func run() throws {
        let found = try contents().passkeys
        let consent = try OwnerConsent.ofTransfer(.takeIn(found.count(where: \.isTaken)))
        defer { withExtendedLifetime(consent) {} }
        let known = try PasskeyItems.passkeys(for: nil).passkeys
        var (added, present) = (0, 0)
        for imported in found {
            let name = TerminalText.escaped(imported.site)
            if let refusal = imported.refusal {
                PasskeysTool.complain("not added, for \(name): passkeys \(refusal)")
                continue
            }
            guard let (passkey, secrets) = imported.passkey else {
                PasskeysTool.complain("not added, for \(name): it has no site or account that a passkey can have")
                continue
            }
            guard !known.contains(where: { $0.id == passkey.id && $0.site == passkey.site }) else {
                present += 1
                continue
            }
            do throws(KeychainError) {
                try PasskeyItems.add(passkey, secrets, replacing: [])
            } catch {
                // The same twice in the file, or one that cannot be read.
                let reason = error.code == .duplicateItem ? "the keychain has it already" : error.message
                PasskeysTool.complain("not added, for \(name): \(reason)")
                continue
            }
            added += 1
            if !imported.unplaced.isEmpty {
                PasskeysTool.complain("added without \(imported.unplaced.joined(separator: ", ")): \(name)")
            }
        }
        try PasskeysTool.print("Added \(added) of \(found.count); \(present) were there already.")
        guard added + present == found.count else { throw Failure("not all of them were added") }
        PasskeysTool.complain("\(file) is not encrypted: delete it once you have no more need for it")
    }

    private func contents() throws -> CXFContents {
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try Descriptor(opening: file, O_RDONLY | O_NONBLOCK).contents(atMost: CXF.largestFile)
        } catch {
            throw Failure("\(file) cannot be read: \(error.reason)")
        }
        do throws(ImportFailure) {
            return try CXF.read(bytes)
        } catch {
            throw Failure(error.message)
        }
    }
}

extension ImportedPasskey {
    /// Nil for names that no passkey has, and for an invalid key.
    fileprivate var passkey: (Passkey, PasskeySecrets)? {
        let key = unsafe key.withUnsafeBytes { unsafe try? P256.Signing.PrivateKey(derRepresentation: $0) }
        guard let key, let site = try? RelyingParty(site), (1...64).contains(userHandle.count),
            (1...255).contains(credentialID.count)
        else { return nil }
        let passkey = Passkey(
            id: credentialID,
            site: site,
            user: Passkey.User(id: userHandle, name: userName, displayName: userDisplayName),
            publicKey: Array(key.publicKey.x963Representation),
            kind: .synchronizable,
            isDiscoverable: true,
            protection: .optional
        )
        let scalar = PasskeySecrets.PrivateKey.scalar(SecretBytes(key.rawRepresentation))
        guard let seeds else { return (passkey, PasskeySecrets(key: scalar, blob: blob)) }
        return (
            passkey,
            PasskeySecrets(key: scalar, verifiedSeed: seeds.verified, unverifiedSeed: seeds.unverified, blob: blob)
        )
    }
}
