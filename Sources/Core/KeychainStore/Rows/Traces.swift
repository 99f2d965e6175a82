/// What a transaction leaves in SQLite's journal of what it removed or replaced.
package enum Traces: Comparable {
    case none
    /// What this device has noted for itself, and somebody waits for what comes after the transaction: it goes moments later.
    case goSoon
    /// What was an owner's goes before the call returns.
    case goAtOnce
}
