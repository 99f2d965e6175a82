import KeychainClient
import KeychainModel

/// Looks over and mends the keychain. Prints one word, or why it could not.
enum Maintaining {
    static func verify() {
        do throws(KeychainError) {
            let report = try CurrentKeychain.maintenance().verify()
            // What the next use finishes by itself is no damage.
            let isDamaged = report.problems.contains { $0.remedy != .none }
            print(line: isDamaged ? "damaged" : "whole")
        } catch {
            print(line: "failed: \(error)")
        }
    }

    static func repair() {
        do throws(KeychainError) {
            switch try CurrentKeychain.maintenance().repair().outcome {
            case .nothingToDo: print(line: "whole")
            case .rowsSetAside: print(line: "set aside")
            case .replaced: print(line: "replaced")
            }
        } catch {
            print(line: "failed: \(error)")
        }
    }
}
