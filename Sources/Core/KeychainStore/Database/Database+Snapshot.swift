import GRDB

extension Database {
    /// Runs questions that all see one state of the database.
    func inSnapshot<Value>(_ body: (Database) throws -> Value) throws -> Value {
        try cachedStatement(sql: "BEGIN DEFERRED").execute()
        do {
            let value = try body(self)
            try cachedStatement(sql: "COMMIT").execute()
            return value
        } catch {
            try? execute(sql: "ROLLBACK")
            throw error
        }
    }
}
