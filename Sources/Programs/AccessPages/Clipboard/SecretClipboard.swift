import CClipboard
package import KeychainModel
import KeychainSystem
import Synchronization

/// The clipboard of the owner's display. A secret is in it for seconds, with a mark that keeps clipboard managers from
/// remembering it.
package final class SecretClipboard: Sendable {
    /// How long a secret is there.
    package let lifetime: Duration
    /// How long a display may take.
    private let patience: Duration
    /// Such as `:0`.
    private let x11: String?
    /// Such as `wayland-0`.
    private let wayland: String?
    /// Those that have a thread.
    private let live = Mutex(Live())
    /// Held while a secret is put there.
    private let turn = Mutex(())

    private struct Live {
        var copies: [Copy] = []
        var isClosed = false
    }

    package enum Failure: Error {
        /// The display cannot be reached, or gives the clipboard to no program in the background.
        case unreachable
        case tooLong
    }

    /// In bytes: no password is longer, and one request of X11 carries more.
    package static let longest = 64 << 10

    /// How long other programs get, at the end, to see that the clipboard is empty.
    private static let leavingTime = Duration.milliseconds(300)

    /// - Parameter environment: names the display.
    /// - Returns: nil where it names none.
    package init?(
        environment: [String: String],
        lifetime: Duration = .seconds(10),
        patience: Duration = .seconds(5)
    ) {
        self.patience = patience
        x11 = environment["DISPLAY"].flatMap { $0.isEmpty ? nil : $0 }
        wayland = environment["WAYLAND_DISPLAY"].flatMap { $0.isEmpty ? nil : $0 }
        self.lifetime = lifetime
        if x11 == nil && wayland == nil { return nil }
    }

    /// Puts a secret into the clipboard. It stays there until the lifetime is over, or something else is put there.
    package func copy(_ secret: SecretBytes) throws(Failure) {
        guard secret.count <= Self.longest else { throw .tooLong }
        guard let copy = try? Copy() else { throw .unreachable }
        // One after the other: the last one is in the clipboard.
        try turn.withLock { _ throws(Failure) in
            let isOpen = live.withLock { live in
                if !live.isClosed { live.copies.append(copy) }
                return !live.isClosed
            }
            guard isOpen else { throw .unreachable }
            do throws(SystemError) {
                try DetachedThread.start { self.serve(copy, secret) }
            } catch {
                end(copy)
            }
            guard copy.arrives(within: patience) else { throw .unreachable }
        }
    }

    /// Takes the secret out of the clipboard, unless something else is there by now. One that is on its way there does not come.
    package func clear() {
        let copies = live.withLock(\.copies)
        for copy in copies { copy.cancel() }
        let deadline = ContinuousClock.now + patience
        for copy in copies { copy.waitForEnd(until: deadline) }
    }

    /// The same, and nothing is copied any more.
    package func close() {
        live.withLock { $0.isClosed = true }
        clear()
    }

    private func end(_ copy: Copy) {
        copy.end()
        live.withLock { live in live.copies.removeAll { $0 === copy } }
    }

    private func serve(_ copy: Copy, _ secret: SecretBytes) {
        defer { end(copy) }
        guard let clipboard = unsafe open() else { return }
        defer { unsafe cclipboard_close(clipboard) }
        let end = unsafe secret.withUnsafeBytes { bytes -> cclipboard_end in
            guard !copy.isCancelled,
                unsafe cclipboard_offer(clipboard, bytes.assumingMemoryBound(to: CChar.self).baseAddress, bytes.count)
            else {
                return cclipboard_broken
            }
            // Nobody may wait for it any more: then it is cancelled, and ends at once.
            copy.arrive()
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
        private struct Progress {
            /// Whether it was in the clipboard.
            var isThere = false
            var isCancelled = false
            var isOver = false
        }

        /// Signalled once it is cancelled.
        let wake: WakeUp
        private let changed: WakeUp
        private let progress = Mutex(Progress())

        init() throws(SystemError) {
            wake = try WakeUp()
            changed = try WakeUp()
        }

        var isCancelled: Bool { progress.withLock(\.isCancelled) }

        func arrive() { change { $0.isThere = true } }

        func end() { change { $0.isOver = true } }

        func cancel() {
            change { $0.isCancelled = true }
            wake.signal()
        }

        private func change(_ change: (inout Progress) -> Void) {
            progress.withLock { change(&$0) }
            changed.signal()
        }

        /// Waits until the secret is in the clipboard. One that comes too late is cancelled.
        func arrives(within patience: Duration) -> Bool {
            wait(until: .now + patience) { $0.isThere || $0.isOver || $0.isCancelled }
            let progress = progress.withLock { $0 }
            if !progress.isThere { cancel() }
            return progress.isThere && !progress.isCancelled
        }

        func waitForEnd(until deadline: ContinuousClock.Instant) { wait(until: deadline, for: \.isOver) }

        private func wait(until deadline: ContinuousClock.Instant, for condition: (Progress) -> Bool) {
            // Two threads may wait: who takes the other's signal away is noticed after a moment.
            while !condition(progress.withLock { $0 }), ContinuousClock.now < deadline {
                _ = changed.wait(within: .milliseconds(20))
            }
        }
    }
}

extension Duration {
    /// Whole ones.
    fileprivate var milliseconds: Int32 { Int32(clamping: Int64(self / .milliseconds(1))) }
}
