import Foundation
import GRDB

/// The database's one header row: what it belongs to, and a code that only the holder of its keys can make.
package struct Header: Sendable {
    package let content: [UInt8]
    package let code: [UInt8]

    package init(content: [UInt8], code: [UInt8]) {
        self.content = content
        self.code = code
    }

    init?(_ row: Row) {
        guard let content = Data.fromDatabaseValue(row[0] as DatabaseValue),
            let code = Data.fromDatabaseValue(row[1] as DatabaseValue)
        else { return nil }
        self.init(content: Array(content), code: Array(code))
    }

    var contentData: Data { Data(content) }
    var codeData: Data { Data(code) }
}
