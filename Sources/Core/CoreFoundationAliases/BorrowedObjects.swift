import Synchronization

/// Keeps alive the objects that collections lend by pointer.
///
/// Foundation on Linux hands out the strings, data and dates of a collection as Swift values, so the object that such a
/// value becomes again has no owner. It is kept here as long as its collection lives, because this is how long the
/// "Get" functions of Core Foundation promise that it lives.
final class BorrowedObjects: Sendable {
    static let shared = BorrowedObjects()

    private struct Loan {
        weak var owner: AnyObject?
        var objects: [(key: AnyHashable, object: AnyObject)]
    }

    /// What `Mutex` guards; objects in it are only ever kept and handed out, never changed.
    private struct Loans: @unchecked Sendable {
        var byOwner: [ObjectIdentifier: Loan] = [:]
    }

    private let loans = Mutex(Loans())

    /// A pointer to what a collection has under a key, valid as long as the collection is.
    ///
    /// `fetch` asks the collection. It is called twice, to see whether the collection has an object of its own.
    func borrow(key: AnyHashable, from owner: AnyObject, fetch: () -> AnyObject?) -> UnsafeRawPointer? {
        guard let object = fetch() else { return nil }
        if object === fetch() { return unsafe UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque()) }
        let request = Request(key: key, owner: owner, object: object)
        let kept = loans.withLock { Reply(object: Self.keep(request, in: &$0)) }
        return unsafe UnsafeRawPointer(Unmanaged.passUnretained(kept.object).toOpaque())
    }

    /// Carries non-Sendable references across the lock; they never leave the calling thread.
    private struct Request: @unchecked Sendable {
        let key: AnyHashable
        let owner: AnyObject
        let object: AnyObject
    }

    private struct Reply: @unchecked Sendable {
        let object: AnyObject
    }

    private static func keep(_ request: Request, in loans: inout Loans) -> AnyObject {
        let identifier = ObjectIdentifier(request.owner)
        var loan = loans.byOwner[identifier] ?? Loan(owner: request.owner, objects: [])
        // An owner that has died may have left its address to this one.
        if loan.owner !== request.owner { loan = Loan(owner: request.owner, objects: []) }
        if let known = loan.objects.first(where: { $0.key == request.key && CFEqual($0.object, request.object) }) {
            return known.object
        }
        loan.objects.append((request.key, request.object))
        loans.byOwner = loans.byOwner.filter { $0.value.owner != nil }
        loans.byOwner[identifier] = loan
        return request.object
    }
}
