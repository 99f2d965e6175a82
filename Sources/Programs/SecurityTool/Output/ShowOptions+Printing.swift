import Foundation
import Terminal

extension ShowOptions {
    /// Prints an item that was found.
    func print(_ item: KeychainItem) throws(Failure) {
        if raw {
            try Console.print(bytes: Array(try item.password() ?? Data()))
        } else if json {
            let value =
                showsPassword || onlyPassword
                ? ItemJSON.value(of: item, password: try item.password()) : ItemJSON.value(of: item)
            try Console.print(value.text() + "\n")
        } else if onlyPassword {
            try Console.print(AttributeText.bare(bytes: try item.password() ?? Data()) + "\n")
        } else {
            // Before anything is printed: an item that cannot be opened is an error and nothing else.
            let password = showsPassword ? AttributePrinter.passwordLine(try item.password()) : nil
            try Console.print(AttributePrinter().text(for: item))
            if let password { Console.printError(password) }
        }
    }
}
