import Foundation

/// The engine that looks for what keeps people from using a page.
package enum Axe {
    /// Its script; nil where scripts/setup.sh could not fetch it.
    package static let source = try? String(
        contentsOfFile: FileManager.default.currentDirectoryPath + "/.build/axe/axe.min.js",
        encoding: .utf8
    )
}
