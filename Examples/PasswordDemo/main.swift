import Foundation

// Walks through the life of one password, in two processes. `CHATELAINE_KEYCHAIN=embedded:DIR` says where the keychain
// is; with `read` as its argument the program only reads, as the second process.

let account = "alice@example.com"
let first = "correct horse battery staple"
let second = "Tr0ub4dor&3"
let passwords = Passwords(service: "mail")

func step(_ text: String) {
    print("→ \(text)")
}

/// What another process of the same program reads.
func readInSecondProcess() throws -> String {
    let reader = Process()
    reader.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
    reader.arguments = ["read"]
    let output = Pipe()
    reader.standardOutput = output
    try reader.run()
    let text = output.fileHandleForReading.readDataToEndOfFile()
    reader.waitUntilExit()
    return String(decoding: text, as: UTF8.self).trimmingCharacters(in: .newlines)
}

/// The files of the keychain that hold any of the texts, in UTF-8.
func files(in folder: String, holding texts: [String]) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder).sorted().filter { name in
        let contents = try Data(contentsOf: URL(fileURLWithPath: folder).appendingPathComponent(name))
        return texts.contains { contents.range(of: Data($0.utf8)) != nil }
    }
}

func expect(_ condition: Bool, _ text: String) {
    guard condition else {
        print("  ✗ \(text)")
        exit(1)
    }
    print("  ✓ \(text)")
}

do {
    if CommandLine.arguments.dropFirst().first == "read" {
        print(try passwords.password(account: account) ?? "nothing")
        exit(0)
    }

    step("SecItemAdd stores the password of \(account).")
    try passwords.save(first, account: account)
    expect(try passwords.password(account: account) == first, "SecItemCopyMatching gives it back.")

    step("A second process reads it: the keychain outlives the program.")
    expect(try readInSecondProcess() == first, "It reads the same password.")

    step("SecItemAdd again, for the same account and service.")
    do {
        try passwords.save("another", account: account)
        expect(false, "A duplicate was stored.")
    } catch let failure as KeychainFailure {
        expect(failure.status == -25299, "Refused: \(failure)")
    }

    step("SecItemUpdate changes it.")
    try passwords.change(to: second, account: account)
    expect(try readInSecondProcess() == second, "The second process reads the new password.")

    let location = ProcessInfo.processInfo.environment["CHATELAINE_KEYCHAIN"] ?? ""
    if location.hasPrefix("embedded:") {
        let folder = String(location.dropFirst("embedded:".count))
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        step("Looking for both passwords and the account in \(names.joined(separator: ", ")).")
        expect(try files(in: folder, holding: [first, second, account]).isEmpty, "They are in none of the files.")
    }

    step("SecItemDelete removes it.")
    try passwords.delete(account: account)
    expect(try readInSecondProcess() == "nothing", "The second process finds nothing.")
} catch {
    print("  ✗ \(error)")
    exit(1)
}
