import Crypto
package import Foundation
package import KeychainModel
import KeychainSystem
import KeychainTrailer

/// Appends a signature to a program.
package enum ProgramSigner {
    /// Writes the program anew, signed, in the place of the old one: a reader sees the old file or the new one, whole.
    /// A signature that the program has already is replaced. Owner and permissions stay; extended attributes go.
    ///
    /// - Parameters:
    ///   - path: of an ELF executable; a link is refused.
    ///   - entitlements: as `EntitlementsTemplate.complete` makes them.
    /// - Returns: the program's identifier.
    /// - Throws: `notAvailable` for a team whose certificate has expired, `invalidParameter` for what is no program,
    ///   `missingEntitlement` for entitlements that the team cannot give.
    @discardableResult
    package static func sign(
        _ path: String,
        entitlements: [UInt8],
        with key: TeamKey,
        at date: Date = Date()
    ) throws(KeychainError) -> String {
        try key.certificate.checkValidity(at: date)
        let identifier = try SignedEntitlements.read(entitlements, of: key.team).identifier
        try OpenProgram.with(path) { program throws(KeychainError) in
            try sign(program, at: path, entitlements: entitlements, with: key)
        }
        return identifier
    }

    private static func sign(
        _ program: OpenProgram,
        at path: String,
        entitlements: [UInt8],
        with key: TeamKey
    ) throws(KeychainError) {
        let length = try unsignedLength(of: program.descriptor, length: program.stamp.size)
        let replacement = try KeychainError.translating { try NewFile(beside: path, mode: 0o600) }
        var hash = SHA256()
        try unsafe FileParts.read(program.descriptor, 0..<length) { part throws(KeychainError) in
            unsafe hash.update(bufferPointer: part)
            try KeychainError.translating { try unsafe replacement.write(part) }
        }
        let digest = Array(hash.finalize())
        let message = ProgramTrailer.signedMessage(
            programLength: length,
            digest: digest,
            entitlements: entitlements,
            team: key.team.description,
            certificate: key.certificate.der
        )
        let trailer = ProgramTrailer(
            programLength: length,
            digest: digest,
            entitlements: entitlements,
            team: key.team.description,
            certificate: key.certificate.der,
            signature: try key.sign(message)
        )
        try KeychainError.translating { try replacement.write(trailer.bytes) }
        try replacement.take(owner: program.stamp)
        // Its name may have been given to another file meanwhile.
        guard try FileStamp.of(program.descriptor) == program.stamp, try FileStamp.of(path: path) == program.stamp
        else {
            throw KeychainError(.notAvailable, "\(path) changed while it was signed")
        }
        try KeychainError.translating { try replacement.commit(replacing: true) }
    }

    /// How long the program is under its signatures.
    private static func unsignedLength(of descriptor: Int32, length: UInt64) throws(KeychainError) -> UInt64 {
        var length = length
        while true {
            switch try ProgramTrailer.ending(of: descriptor, length: length) {
            case .none: return length
            case .trailer(let trailer): length = trailer.programLength
            case .faulty:
                throw KeychainError(
                    .invalidParameter,
                    "the program has a damaged signature; build it anew and sign that"
                )
            }
        }
    }

    /// The entitlements that stand in a program's signature, which is not looked at.
    ///
    /// - Throws: `missingEntitlement` where there are none.
    package static func entitlements(of path: String) throws(KeychainError) -> [UInt8] {
        let ending = try OpenProgram.with(path) { program throws(KeychainError) in
            try ProgramTrailer.ending(of: program.descriptor, length: program.stamp.size)
        }
        switch ending {
        case .none: throw KeychainError(.missingEntitlement, "\(path) is not signed")
        case .faulty: throw KeychainError(.missingEntitlement, "the signature of \(path) is damaged")
        case .trailer(let trailer): return trailer.entitlements
        }
    }
}
