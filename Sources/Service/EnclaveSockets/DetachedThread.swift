import CKeychainLinux
package import KeychainModel

/// A detached thread.
package enum DetachedThread {
    private final class Body: Sendable {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) {
            self.run = run
        }
    }

    private static let stackSize = 512 << 10

    package static func start(_ body: @escaping @Sendable () -> Void) throws(KeychainError) {
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
            throw KeychainError(errno: result, "no thread for the enclave")
        }
    }
}
