import Dispatch
import EnclaveInterface
import Glibc
import KeychainClient
import KeychainModel
import Terminal

/// Waits until all items are under the keychain's present keys, and says so if it takes long.
struct RotationProgress {
    private let control: any EnclaveControl

    init(of control: any EnclaveControl) {
        self.control = control
    }

    private static let pause = DispatchTimeInterval.milliseconds(100)
    /// Nothing is said about what takes a moment.
    private static let pausesUntilWord = 10

    /// After so many uses without progress the command stops waiting: another process does it, or none can.
    private static let mostUses = 100

    /// - Throws: where the keychain cannot be used; what is left is done when it next is.
    func wait() throws {
        var pauses = 0
        var uses = 0
        while isUnderWay(try control.state()) {
            uses += 1
            guard uses <= Self.mostUses else {
                Console.printError("items get their new keys while the keychain is used\n")
                return
            }
            if uses > 1 { usleep(100_000) }
            // The next user of the keychain continues it, and waits for it: the service, or this process.
            let use = Use()
            while use.isOver(after: Self.pause) == false {
                pauses += 1
                if pauses == Self.pausesUntilWord { Console.printError("giving all items new keys …\n") }
            }
            if let error = use.error, isUnderWay(try control.state()) { throw error }
        }
        if pauses >= Self.pausesUntilWord { Console.printError("done\n") }
    }

    /// The rotation of a keychain that is locked meanwhile continues when it is unlocked.
    private func isUnderWay(_ state: EnclaveState) -> Bool {
        state.isRotating && state.lock == .unlocked
    }
}

/// One use of the keychain on another thread.
private final class Use: @unchecked Sendable {
    // Unchecked: written before the signal, and read after it.
    private(set) var error: KeychainError?
    private let end = DispatchSemaphore(value: 0)

    init() {
        DispatchQueue.global().async { [self] in
            do throws(KeychainError) {
                try CurrentKeychain.open()
            } catch {
                self.error = error
            }
            end.signal()
        }
    }

    func isOver(after pause: DispatchTimeInterval) -> Bool {
        end.wait(timeout: .now() + pause) == .success
    }
}
