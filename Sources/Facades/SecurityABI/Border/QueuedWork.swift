import CSecurity

/// Work for a queue of Dispatch, with what it needs kept until it is done.
final class QueuedWork {
    private let work: () -> Void

    private init(_ work: @escaping () -> Void) {
        self.work = work
    }

    /// Does work on a queue, which must be one, or on the global one.
    static func run(on queue: UnsafeMutableRawPointer?, _ work: @escaping () -> Void) {
        let context = unsafe Unmanaged.passRetained(QueuedWork(work)).toOpaque()
        unsafe CSecurityDispatch(queue ?? CSecurityGlobalQueue(0, 0), context) { context in
            guard let context = unsafe context else { return }
            unsafe Unmanaged<QueuedWork>.fromOpaque(context).takeRetainedValue().work()
        }
    }
}
