import CKeychainLinux
import Dispatch
import Glibc
import KeychainCircles
import KeychainModel
import KeychainServiceClient
import KeychainSystem
import SyncCarrier

// Carries what the devices of a circle write between the keychain service and a folder, or a cluster. It has no key, and everything
// that it sees is sealed: an attacker in its place can keep news away, and no more.

clinux_reset_crash_signals()

func log(_ line: String) {
    // It may come from a program that has written into the folder.
    let printable = String(
        String.UnicodeScalarView(line.unicodeScalars.map { $0.value < 32 || $0.value == 127 ? "?" : $0 })
    )
    try? LentDescriptor(STDERR_FILENO).write(Array("\(printable)\n".utf8))
}

func fail(_ message: String, status: Int32 = 1) -> Never {
    log(message)
    exit(status)
}

/// Tells the carrier of changes in the keychain, for as long as this process lasts.
func hear(of keychain: ServiceConnection, for carrier: SyncCarrier) -> Never {
    while true {
        // Without a service, rounds fail as well, and say so.
        try? keychain.watchCircle { _ in
            carrier.hint()
            return true
        }
        sleep(1)
    }
}

guard CommandLine.arguments.count == 1 else {
    fail("chatelaine-sync takes no arguments; see chatelaine-sync(1)", status: 2)
}

do throws(KeychainError) {
    guard case .service(let address) = try KeychainLocation.current() else {
        fail("no service keeps this keychain; the program that opens it synchronizes: chatelaine sync run", status: 2)
    }
    let keychain = ServiceConnection(address)
    let carrier = try SyncCarrier(keychain, isHinted: true) { event in
        switch event {
        case .round(let report) where !report.isEmpty || report.lost > 0:
            log(report.sentences.joined(separator: "; "))
        case .round: break
        case .failure(let error): log(error.message)
        case .idle: log("the keychain belongs to no circle, or the circle has no folder or cluster here")
        }
    }
    DispatchQueue.global().async { hear(of: keychain, for: carrier) }
    try carrier.run()
} catch {
    fail(error.message)
}
