/// The type of the allocator parameters that functions take for the sake of source compatibility.
///
/// Memory comes from Swift's runtime, so there is no allocator to choose. The one instance stands for no freeing.
public final class CFAllocator: Sendable {
    fileprivate init() {}
}

/// The allocator that everybody passes.
public let kCFAllocatorDefault: CFAllocator? = nil

/// The system's allocator, by another name.
public let kCFAllocatorSystemDefault: CFAllocator? = nil

/// The allocator of C's `malloc`.
public let kCFAllocatorMalloc: CFAllocator? = nil

/// The allocator that allocates nothing and, more to the point, frees nothing.
public let kCFAllocatorNull: CFAllocator? = CFAllocator()
