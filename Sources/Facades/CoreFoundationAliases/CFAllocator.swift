/// The type of the allocator parameters that functions take for the sake of source compatibility.
///
/// Memory comes from Swift's runtime, so there is no allocator to choose and no instance of this class.
public final class CFAllocator: Sendable {
    private init() {}
}

/// The allocator that everybody passes.
public let kCFAllocatorDefault: CFAllocator? = nil

/// The system's allocator, by another name.
public let kCFAllocatorSystemDefault: CFAllocator? = nil

/// The allocator of C's `malloc`.
public let kCFAllocatorMalloc: CFAllocator? = nil

/// The allocator that allocates nothing and, more to the point, frees nothing.
public let kCFAllocatorNull: CFAllocator? = nil
