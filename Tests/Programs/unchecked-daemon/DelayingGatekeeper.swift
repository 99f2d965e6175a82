import Glibc
import KeychainModel
import KeychainServer

/// A service that is so busy that a caller has time to become something else before it is looked at.
struct DelayingGatekeeper: Gatekeeper {
    private let gatekeeper: any Gatekeeper
    private let milliseconds: UInt32

    init(_ gatekeeper: any Gatekeeper, milliseconds: UInt32) {
        self.gatekeeper = gatekeeper
        self.milliseconds = milliseconds
    }

    func admit(_ socket: Int32) throws(KeychainError) -> AdmittedPeer {
        usleep(milliseconds * 1_000)
        return try gatekeeper.admit(socket)
    }
}
