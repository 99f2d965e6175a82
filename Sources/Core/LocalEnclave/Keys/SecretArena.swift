import CKeychainLinux
package import Crypto
package import KeychainModel
import Synchronization

/// Keeps keys in memory that no other process can read, where the kernel offers it.
///
/// One for a process, which never forks: the memory would be its child's too.
package final class SecretArena: KeyArena {
    private let memory: SecretMemory

    /// In bytes: keys of some 1,700 users. It is below what any process may lock.
    private static let size = 1 << 20

    package init() {
        memory = SecretMemory(size: Self.size)
    }

    /// What the kernel could not do, for the log; nil where it could do all.
    package var weakness: String? { memory.weakness }

    /// With no room left, keys go to the heap, which is never swapped where the service's unit says so.
    package func hold(_ key: SymmetricKey) throws(KeychainError) -> any HeldKey {
        guard key.bitCount == 8 * SecretMemory.slot, let slot = memory.take() else {
            return try HeapArena().hold(key)
        }
        unsafe key.withUnsafeBytes { unsafe memory.write($0, to: slot) }
        return SecretKey(slot, in: memory)
    }

    private final class SecretKey: HeldKey {
        private let slot: Int
        private let memory: SecretMemory
        private let isErased = Mutex<Bool>(false)

        init(_ slot: Int, in memory: SecretMemory) {
            self.slot = slot
            self.memory = memory
        }

        deinit {
            memory.giveBack(slot)
        }

        var key: SymmetricKey? {
            isErased.withLock { isErased in isErased ? nil : memory.key(in: slot) }
        }

        func erase() {
            isErased.withLock { isErased in
                isErased = true
                memory.erase(slot)
            }
        }
    }
}

/// Slots of 32 bytes.
///
/// Unchecked, since each slot is its holder's, who has a lock of its own; which are free is under one here.
@safe
private final class SecretMemory: @unchecked Sendable {
    static let slot = 32

    private let base: UnsafeMutableRawPointer?
    let weakness: String?
    private let free: Mutex<[Int]>

    init(size: Int) {
        var kind = CLINUX_MEMORY_SECRET
        let base = unsafe clinux_secret_memory(size, &kind)
        unsafe self.base = base
        let count = unsafe base == nil ? 0 : size / Self.slot
        free = Mutex(Array((0..<count).reversed()))
        weakness =
            if unsafe base == nil {
                "no memory of their own for keys: they are on the heap"
            } else if kind == CLINUX_MEMORY_LOCKED {
                "the kernel has no secret memory (memfd_secret): keys are in locked memory, which root can read"
            } else if kind == CLINUX_MEMORY_PLAIN {
                "the kernel neither has secret memory (memfd_secret) nor lets this process lock any"
            } else {
                nil
            }
    }

    func take() -> Int? { free.withLock { $0.popLast() } }

    func giveBack(_ slot: Int) {
        erase(slot)
        free.withLock { $0.append(slot) }
    }

    func write(_ bytes: UnsafeRawBufferPointer, to slot: Int) {
        guard let place = unsafe place(slot), bytes.count == Self.slot else { return }
        unsafe UnsafeMutableRawBufferPointer(start: place, count: Self.slot).copyMemory(from: bytes)
    }

    func key(in slot: Int) -> SymmetricKey? {
        guard let place = unsafe place(slot) else { return nil }
        return unsafe SymmetricKey(data: UnsafeRawBufferPointer(start: place, count: Self.slot))
    }

    func erase(_ slot: Int) {
        guard let place = unsafe place(slot) else { return }
        unsafe clinux_zero(place, Self.slot)
    }

    private func place(_ slot: Int) -> UnsafeMutableRawPointer? {
        unsafe base.map { unsafe $0 + slot * Self.slot }
    }
}
