import Crypto
import Foundation
import GRDB

/// The least that a read from an encrypted database costs: one `DatabasePool.read` of a cached statement on the index of
/// a primary key, and one AES-256-GCM open of 32 bytes.
public final class ReadFloor {
    private let folder: TemporaryFolder
    private let pool: DatabasePool
    private let key = SymmetricKey(size: .bits256)
    private let keys: [[Data]]
    private var turn = 0

    public init(count: Int, in parent: URL) throws {
        folder = try TemporaryFolder("floor-\(count)", in: parent)
        pool = try DatabasePool(path: folder.url.appending(path: "floor.db").path)
        // A row's key is what a keychain's is: three digests of 16 bytes, the first of which many rows share.
        keys = (0..<count).map { number in
            ["\(number % 100)", "\(number)", "group"].map { Data(SHA256.hash(data: Data($0.utf8)).prefix(16)) }
        }
        let (key, keys) = (self.key, self.keys)
        try pool.write { database in
            try database.execute(
                sql: """
                    CREATE TABLE item (
                    id INTEGER PRIMARY KEY,
                    service BLOB NOT NULL, account BLOB NOT NULL, agrp BLOB NOT NULL,
                    sealed BLOB NOT NULL, rest BLOB NOT NULL,
                    UNIQUE (service, account, agrp)
                    )
                    """
            )
            for columns in keys {
                let sealed = try AES.GCM.seal(Data(repeating: 7, count: 32), using: key).combined ?? Data()
                try database.execute(
                    sql: "INSERT INTO item (service, account, agrp, sealed, rest) VALUES (?, ?, ?, ?, ?)",
                    arguments: [columns[0], columns[1], columns[2], sealed, Data(repeating: 1, count: 900)]
                )
            }
        }
        try pool.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
    }

    deinit {
        try? pool.close()
    }

    /// The keys of the next rows, so that choosing them is not measured.
    public func nextKeys(_ count: Int) -> [[Data]] {
        (0..<count).map { _ in
            // Prime to the number of rows, so that all of them have their turn in no order.
            turn = (turn + 7919) % keys.count
            return keys[turn]
        }
    }

    public func find(_ columns: [Data]) throws {
        let sealed = try pool.read { database in
            let statement = try database.cachedStatement(
                sql: "SELECT sealed FROM item WHERE service = ? AND account = ? AND agrp = ?"
            )
            return try Data.fetchOne(statement, arguments: [columns[0], columns[1], columns[2]])
        }
        guard let sealed, try AES.GCM.open(AES.GCM.SealedBox(combined: sealed), using: key).count == 32 else {
            throw Failure("the floor has not found its row")
        }
    }

    /// The least that going through all rows costs: one comparison in each.
    public func scan() throws {
        let found = try pool.read { database in
            try Data.fetchOne(
                database.cachedStatement(sql: "SELECT sealed FROM item WHERE sealed = ?"),
                arguments: [Data()]
            )
        }
        guard found == nil else { throw Failure("the floor has found what is not there") }
    }

    /// The least that reading all rows costs: each is fetched and opened.
    public func list() throws {
        let sealed = try pool.read { database in
            try Data.fetchAll(database.cachedStatement(sql: "SELECT sealed FROM item"))
        }
        for box in sealed { _ = try AES.GCM.open(AES.GCM.SealedBox(combined: box), using: key) }
        guard sealed.count == keys.count else { throw Failure("the floor's list is not whole") }
    }
}
