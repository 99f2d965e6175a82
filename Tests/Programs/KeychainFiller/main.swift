// Fills a keychain with more items than single adds could: `keychain-filler FOLDER GROUP < ITEMS`.
//
// Each line of the input is an item: its attributes as KEY=VALUE, in text, with tabs between them. A keychain that is not
// there yet is made.

import Foundation
import KeychainEngine
import KeychainModel
import Logging

/// So many items a transaction: with more, SQLite's journal would grow past what it finds its way in quickly.
let batchSize = 10_000

func request(_ line: String) throws(KeychainError) -> AddRequest {
    let entries = line.split(separator: "\t").map { field in
        let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let (key, value) = (parts.first ?? "", parts.count > 1 ? parts[1] : "")
        return (key: key, value: key == "v_Data" ? .secret(SecretBytes(Array(value.utf8))) : QueryValue.string(value))
    }
    return try QueryParser.add(entries)
}

func fill(folder: String, group: String) throws(KeychainError) {
    let caller = Caller(name: "filler", groups: AccessGroups([group]))
    let engine = try KeychainDirectory(path: folder).open(log: Logger(label: "filler"))
    var batch: [AddRequest] = []
    while let line = readLine() {
        batch.append(try request(line))
        if batch.count == batchSize {
            try engine.addBatchUnchecked(batch, for: caller)
            batch.removeAll(keepingCapacity: true)
        }
    }
    try engine.addBatchUnchecked(batch, for: caller)
    engine.close()
}

let arguments = Array(CommandLine.arguments.dropFirst())
guard arguments.count == 2 else {
    FileHandle.standardError.write(Data("usage: keychain-filler FOLDER GROUP < ITEMS\n".utf8))
    exit(2)
}
do {
    try fill(folder: arguments[0], group: arguments[1])
} catch {
    FileHandle.standardError.write(Data("keychain-filler: \(error)\n".utf8))
    exit(1)
}
