import Foundation
import Security

// A program of somebody's that keeps a secret in the keychain, written as for an Apple platform. Tests install it, and attack it:
//
//     attacked-program store TEXT | find | wait | fill KIND COUNT | count | empty | entitlement NAME

func item() -> [CFString: Any] {
    [kSecClass: kSecClassGenericPassword, kSecAttrService: "kept", kSecAttrAccount: "alice"]
}

func find() -> String? {
    var result: CFTypeRef?
    let status = SecItemCopyMatching(item().merging([kSecReturnData: true]) { $1 } as CFDictionary, &result)
    guard status == errSecSuccess, let data = result as? Data else {
        print("not found: \(status)")
        return nil
    }
    return String(decoding: data, as: UTF8.self)
}

let arguments = Array(CommandLine.arguments.dropFirst())
switch (arguments.first, arguments.count) {
case ("store", 2):
    let status = SecItemAdd(item().merging([kSecValueData: Data(arguments[1].utf8)]) { $1 } as CFDictionary, nil)
    print("stored: \(status)")
    exit(status == errSecSuccess ? 0 : 1)
case ("find", 1):
    guard let text = find() else { exit(1) }
    print(text)
case ("wait", 1):
    // With its secret in memory, for as long as its input is open.
    let text = find()
    FileHandle.standardOutput.write(Data("waiting\n".utf8))
    while let line = readLine() { print(line.count + (text?.count ?? 0)) }
case ("fill", 3):
    guard let filling = Filling(rawValue: arguments[1]), let most = Int(arguments[2]) else { exit(2) }
    let (count, status) = filling.fill(most)
    print("added \(count), then \(status)")
case ("count", 1): print("\(Filling.count()) items")
case ("empty", 1): print("deleted: \(Filling.empty())")
case ("entitlement", 2):
    var error: Unmanaged<CFError>?
    let value = SecTaskCreateFromSelf(nil).flatMap {
        SecTaskCopyValueForEntitlement($0, arguments[1] as CFString, &error)
    }
    if let error = error?.takeRetainedValue() { print("error: \(CFErrorGetCode(error))") }
    print(value.map { "entitled: \($0 as? [String] ?? [])" } ?? "not entitled")
default:
    print("usage: attacked-program store TEXT | find | wait | fill KIND COUNT | count | empty | entitlement NAME")
    exit(2)
}
