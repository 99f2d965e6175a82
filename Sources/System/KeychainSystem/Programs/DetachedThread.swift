import CKeychainLinux

/// A detached thread.
package enum DetachedThread {
    private final class Body: Sendable {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) {
            self.run = run
        }
    }

    package static let standardStackSize = 512 << 10

    /// - Parameter stackSize: in bytes.
    package static func start(
        stackSize: Int = standardStackSize,
        _ body: @escaping @Sendable () -> Void
    ) throws(SystemError) {
        let context = unsafe Unmanaged.passRetained(Body(body))
        let result = unsafe clinux_start_thread(
            stackSize,
            { context in
                guard let context = unsafe context else { return }
                unsafe Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run()
            },
            context.toOpaque()
        )
        guard result == 0 else {
            unsafe context.release()
            throw SystemError(result, "no thread can be started")
        }
    }
}
