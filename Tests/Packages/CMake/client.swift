import Foundation
import LocalAuthentication
import Security

let item = [kSecClass: kSecClassGenericPassword, kSecAttrAccount: "alice"] as CFDictionary
let statuses = [SecItemAdd(item, nil), SecItemAdd(item, nil), SecItemDelete(item)]
let context = LAContext()
context.localizedReason = "see whether the module is there"
print(statuses == [errSecSuccess, errSecDuplicateItem, errSecSuccess] ? "all is well" : "NOT OK: \(statuses)")
