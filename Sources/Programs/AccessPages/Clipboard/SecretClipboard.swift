import CClipboard
package import KeychainModel
import KeychainSystem
import Synchronization

/// The clipboard of the owner's display. A secret is in it for seconds, with a mark that keeps clipboard managers from
/// remembering it.
package final class SecretClipboard: Sendable {
    /// How long a secret is there.
    package let lifetime: Duration
    /// Such as `:0`.
    private let x11: String?
    /// Such as `wayland-0`.
    private let wayland: String?
    private let last = Mutex<Copy?>(nil)

    package enum Failure: Error {
        /// The display cannot be reached, or gives the clipboard to no program in the background.
        case unreachable
        case tooLong
    }

    /// In bytes: no password is longer, and one request of X11 carries more.
    package static let longest = 64 << 10

    /// How long a display may take.
    private static let patience = Duration.seconds(3)

    /// How long other programs get, at the end, to see that the clipboard is empty.
    private static let leavingTime = Duration.milliseconds(300)

    /// - Parameter environment: names the display.
    /// - Returns: nil where it names none.
    package init?(environment: [String: String], lifetime: Duration = .seconds(10)) {
        x11 = environment["DISPLAY"].flatMap { $0.isEmpty ? nil : $0 }
        wayland = environment["WAYLAND_DISPLAY"].flatMap { $0.isEmpty ? nil : $0 }
        self.lifetime = lifetime
        if x11 == nil && wayland == nil { return nil }
    }

    /// Puts a secret into the clipboard. It stays there until the lifetime is over, or something else is put there.
    package func copy(_ secret: SecretBytes) throws(Failure) {
        guard secret.count <= Self.longest else { throw .tooLong }
        guard let copy = try? Copy() else { throw .unreachable }
        do throws(SystemError) {
            try DetachedThread.start { self.serve(copy, secret) }
        } catch {
            throw .unreachable
        }
        guard copy.begins(within: Self.patience) else { throw .unreachable }
        // The one before has noticed that it was replaced.
        last.withLock { $0 = copy }
    }

    /// Takes the secret out of the clipboard, unless something else is there by now.
    package func clear() {
        last.withLock { copy in
            copy?.end(within: Self.patience)
            copy = nil
        }
    }

    private func serve(_ copy: Copy, _ secret: SecretBytes) {
        defer { copy.reach(.over) }
        guard let clipboard = unsafe open() else { return }
        defer { unsafe cclipboard_close(clipboard) }
        let end = unsafe secret.withUnsafeBytes { bytes -> cclipboard_end in
            // Nobody waits for it any more.
            guard copy.stage != .over,
                unsafe cclipboard_offer(clipboard, bytes.assumingMemoryBound(to: CChar.self).baseAddress, bytes.count)
            else {
                return cclipboard_broken
            }
            copy.reach(.there)
            return unsafe cclipboard_serve(clipboard, copy.wake.number, lifetime.milliseconds)
        }
        guard end == cclipboard_timed_out || end == cclipboard_woken else { return }
        // Some desktops keep what was in the clipboard when its program leaves. They keep an empty text now.
        guard unsafe cclipboard_offer(clipboard, nil, 0) else { return }
        if end == cclipboard_timed_out { _ = unsafe cclipboard_serve(clipboard, copy.wake.number, -1) }
        _ = unsafe cclipboard_serve(clipboard, -1, Self.leavingTime.milliseconds)
    }

    private func open() -> OpaquePointer? {
        if let wayland, let clipboard = unsafe cclipboard_open_wayland(wayland) { return unsafe clipboard }
        guard let x11 else { return nil }
        return unsafe cclipboard_open_x11(x11)
    }
}

extension SecretClipboard {
    /// One secret on its way through the clipboard, for the thread that serves it and those that wait.
    private final class Copy: Sendable {
        enum Stage {
            case opening
            case there
            case over
        }

        /// Ends the serving.
        let wake: WakeUp
        private let changed: WakeUp
        private let reached = Mutex(Stage.opening)

        init() throws(SystemError) {
            wake = try WakeUp()
            changed = try WakeUp()
        }

        var stage: Stage { reached.withLock { $0 } }

        func reach(_ stage: Stage) {
            reached.withLock { $0 = stage }
            changed.signal()
        }

        /// Waits until the secret is in the clipboard. One that comes later is not put there.
        func begins(within patience: Duration) -> Bool {
            _ = changed.wait(within: patience)
            return reached.withLock { stage in
                if stage == .opening { stage = .over }
                return stage == .there
            }
        }

        func end(within patience: Duration) {
            wake.signal()
            let deadline = ContinuousClock.now + patience
            while stage != .over, ContinuousClock.now < deadline {
                _ = changed.wait(within: ContinuousClock.now.duration(to: deadline))
            }
        }
    }
}

extension Duration {
    /// Whole ones.
    fileprivate var milliseconds: Int32 { Int32(clamping: Int64(self / .milliseconds(1))) }
}
