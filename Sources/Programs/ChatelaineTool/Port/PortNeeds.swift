/// What a package, or a target of it, needs of this one.
struct PortNeeds: Equatable {
    let products: [String]
    let needsPlugin: Bool
    private let hasOwnSecurityTypes: Bool

    init(_ findings: PortFindings) {
        let topics: [(PortTopic, String)] = [
            (.security, "Security"), (.localAuthentication, "LocalAuthentication"), (.cryptoKit, "CryptoKit"),
            (.commonCrypto, "CommonCrypto"),
        ]
        var products = topics.filter { findings.places[$0.0] != nil }.map(\.1)
        if findings.places[.implicitSecurity] != nil, !products.contains("Security") {
            products.insert("Security", at: 0)
        }
        self.products = products
        hasOwnSecurityTypes = findings.places[.ownSecurityTypes] != nil
        // Where types of the package have Security's names, a forced import makes them ambiguous.
        needsPlugin = findings.places[.implicitSecurity] != nil && !hasOwnSecurityTypes
    }

    /// The toolsets that make up for a change of the manifest.
    var toolsets: [String] {
        let first = hasOwnSecurityTypes ? "chatelaine-explicit.json" : "chatelaine.json"
        return (products.contains("Security") || products.contains("LocalAuthentication") ? [first] : [])
            + (products.contains("CryptoKit") ? ["chatelaine-cryptokit.json"] : [])
            + (products.contains("CommonCrypto") ? ["chatelaine-commoncrypto.json"] : [])
    }

    /// Lines for a target's dependencies.
    var productLines: [String] {
        products.map {
            ".product(name: \"\($0)\", package: \"chatelaine\", condition: .when(platforms: [.linux])),"
        }
    }

    static let pluginLine = ".plugin(name: \"ImportSecurity\", package: \"chatelaine\")"

    /// In a line of text.
    var summary: String {
        products.isEmpty
            ? "nothing"
            : products.joined(separator: ", ") + (needsPlugin ? ", and the plugin ImportSecurity" : "")
    }
}
