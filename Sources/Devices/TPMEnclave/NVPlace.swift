import Crypto

/// One of the places that a keychain has in the TPM's own memory: two for the passcode's secret, one for the counter.
///
/// Handles are derived from the binding's identity, so that nothing has to be written before one is defined. What is
/// defined there carries a mark; an index with another mark belongs to other software, and the next handle is tried.
struct NVPlace: Sendable, Equatable {
    /// 16 bytes, random, which stand in the device key's file.
    let binding: [UInt8]
    /// 0 and 1 for the passcode's secrets, 2 for the counter.
    let role: UInt8

    static let counterRole: UInt8 = 2

    var kind: TPMIndex.Kind { role == Self.counterRole ? .counter : .secret }

    /// The second of the two places of the passcode.
    var other: NVPlace { NVPlace(binding: binding, role: 1 - min(role, 1)) }

    /// Where to look, in this order. They lie in the range that the TCG leaves to the TPM's owner (Registry of Reserved
    /// TPM 2.0 Handles, 2.2.2).
    var handles: [UInt32] {
        (0..<Self.candidates).map { attempt in
            let digest = SHA256.hash(data: Array("chatelaine nv handle 1".utf8) + binding + [role, attempt])
            return 0x0180_0000 | (digest.prefix(4).reduce(0) { $0 << 8 | UInt32($1) } & 0x003F_FFFF)
        }
    }

    private static let candidates: UInt8 = 4

    /// 32 bytes.
    var tag: [UInt8] {
        Array(SHA256.hash(data: Array("chatelaine nv tag 1".utf8) + binding + [role]))
    }

    // MARK: - Looking for it

    enum Found: Sendable, Equatable {
        case ours(UInt32, isWritten: Bool)
        /// It is not there, and could be put here.
        case free(UInt32)
    }

    /// - Throws: `taken` where others have all its handles.
    func find(in session: borrowing TPMSession) throws(TPMFailure) -> Found {
        var free: UInt32?
        for handle in handles {
            guard let index = try session.look(at: handle) else {
                free = free ?? handle
                continue
            }
            if index.kind == kind && index.tag == tag { return .ours(handle, isWritten: index.isWritten) }
        }
        guard let free else { throw TPMFailure(.taken) }
        return .free(free)
    }

    /// The handle of what was written there.
    ///
    /// - Throws: `noIndex` where there is none.
    func handle(in session: borrowing TPMSession) throws(TPMFailure) -> UInt32 {
        guard case .ours(let handle, isWritten: true) = try find(in: session) else { throw TPMFailure(.noIndex) }
        return handle
    }
}
