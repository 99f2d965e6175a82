/// The version that a manifest's first line names: `// swift-tools-version:5.9`.
struct ToolsVersion: Comparable {
    let major: Int
    let minor: Int

    /// The first with `.plugin(name:package:)`.
    static let withPlugins = ToolsVersion(major: 5, minor: 6)
    /// The first with conditions of products.
    static let withConditions = ToolsVersion(major: 5, minor: 3)
    /// The first with the sources of an only target directly in `Sources`.
    static let withoutFolders = ToolsVersion(major: 5, minor: 9)

    init(major: Int, minor: Int) {
        self.major = major
        self.minor = minor
    }

    init?(firstLineOf text: String) {
        let line = text.prefix { !$0.isNewline }.prefix(200)
        guard line.hasPrefix("//"), let range = line.firstRange(of: "swift-tools-version:") else { return nil }
        let version = line[range.upperBound...].drop { $0 == " " }.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        let numbers = version.split(separator: ".").map { Int($0) }
        guard let first = numbers.first, let major = first else { return nil }
        guard numbers.count > 1 else {
            self.init(major: major, minor: 0)
            return
        }
        guard let minor = numbers[1] else { return nil }
        self.init(major: major, minor: minor)
    }

    static func < (left: ToolsVersion, right: ToolsVersion) -> Bool {
        (left.major, left.minor) < (right.major, right.minor)
    }
}
