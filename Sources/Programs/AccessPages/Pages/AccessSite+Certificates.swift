import Foundation
import KeychainCertificates
import KeychainModel
import KeychainTrust

/// Certificates: the list, one of them with the chain that it is trusted by, and files of it.
extension AccessSite {
    private static let most = 1_000
    /// How long before its end a certificate is marked.
    private static let soon = 30.0 * 86_400

    func certificates() throws(KeychainError) -> PageResponse {
        let items = try stored()
        let keys = try privateKeys()
        let now = Date.timeIntervalSinceReferenceDate
        let rows = items.map { item in
            let name = item.contents?.summary ?? ItemSummary(item.item).name
            var row: PageValues = [
                "name": name.isEmpty ? "(no name)" : ForeignText.shown(name), "href": item.item.reference.path,
                "issuer": ForeignText.shown(item.contents?.issuerSummary ?? "unknown"),
                "isIdentity": keys[PublicHalf(item.item, item.contents?.publicKeyHash)] != nil,
            ]
            let end = item.contents?.notAfter ?? 0
            row["expires"] = item.contents == nil ? "unknown" : PageDate.text(end)
            row["expiresISO"] = PageDate.machine(end)
            row["isExpired"] = item.contents != nil && end < now
            row["isSoon"] = end >= now && end < now + Self.soon
            return (order: end, row: row)
        }
        return framed(
            "certificates",
            title: "Certificates",
            in: ItemKind.certificate.path,
            [
                "isEmpty": rows.isEmpty, "emptyText": "The keychain has no certificates.",
                "rows": rows.sorted { $0.order < $1.order }.map(\.row),
            ]
        )
    }

    func certificate(_ item: FoundItem) throws(KeychainError) -> PageResponse {
        let summary = ItemSummary(item)
        let der = try data(of: item.reference)
        let contents = der.flatMap(CertificateContents.init(der:))
        let name = contents?.summary ?? summary.name
        let now = Date.timeIntervalSinceReferenceDate
        let keys = try privateKeys()
        let key = keys[PublicHalf(item, contents?.publicKeyHash)]
        let isIdentity = key != nil
        var shown: PageValues = [
            "name": name.isEmpty ? "(no name)" : ForeignText.shown(name),
            "kind": isIdentity ? "Certificate with private key" : "Certificate",
            "icon": isIdentity ? "identity" : "certificate", "deleteAction": "\(item.reference.path)/delete",
            "exportHrefs": ["pem", "der"].map {
                ["label": "Export \($0.uppercased())", "href": "\(item.reference.path)/certificate.\($0)"] as PageValues
            },
        ]
        var values: PageValues = ["hasChain": false, "back": list(of: .certificate).values]
        if let der, let contents {
            shown["isExpired"] = contents.notAfter < now
            shown["isSoon"] = contents.notAfter >= now && contents.notAfter < now + Self.soon
            let others = try stored().compactMap(\.der)
            let verdict = TrustVerifier(anchors: .system, intermediates: others)
                .evaluate(der, for: [.basicX509], at: now)
            values["trust"] = Self.trust(verdict)
            values["chain"] = Self.chain(verdict, der)
            values["hasChain"] = true
            values["groups"] =
                [Self.summary(contents)] + Self.facts(contents, der) + ItemFacts(item, summary).readerGroups
        } else {
            values["groups"] = ItemFacts(item, summary).groups
        }
        if let key { values["related"] = ["name": "Private key", "href": key.path] as PageValues }
        values["item"] = shown
        return framed("certificate", title: "Certificate", in: ItemKind.certificate.path, values)
    }

    /// The certificate as a file, which has nothing secret in it.
    func certificateFile(_ reference: PersistentReference, isText: Bool) throws(KeychainError) -> PageResponse {
        guard reference.itemClass == .certificate, let der = try data(of: reference) else { return message(.itemGone) }
        let lines = Data(der).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        let bytes =
            isText ? Array("-----BEGIN CERTIFICATE-----\n\(lines)\n-----END CERTIFICATE-----\n".utf8) : der
        var response = PageResponse.file(bytes, type: "application/octet-stream")
        response.headers.append(
            ("Content-Disposition", "attachment; filename=\"certificate.\(isText ? "pem" : "der")\"")
        )
        return response
    }

    // MARK: - What is stored

    private typealias Stored = (item: FoundItem, der: [UInt8]?, contents: CertificateContents?)

    private func stored() throws(KeychainError) -> [Stored] {
        var request = FindRequest(query: ItemCatalogue.query(.certificate))
        request.limit = .count(Self.most)
        request.returns = [.attributes, .data]
        request.authentication.ui = .skip
        return try catalogue.find(request).map { item in
            let der = item.secrets[.valueData]?.copied
            return (item, der, der.flatMap(CertificateContents.init(der:)))
        }
    }

    private func data(of reference: PersistentReference) throws(KeychainError) -> [UInt8]? {
        var request = FindRequest(query: ItemCatalogue.query(reference))
        request.returns = .data
        request.authentication.ui = .skip
        return try catalogue.find(request).first?.secrets[.valueData]?.copied
    }

    /// How many certificates are over, or will be soon.
    func endingCertificates() throws(KeychainError) -> Int {
        let now = Date.timeIntervalSinceReferenceDate
        return try stored().count { $0.contents.map { $0.notAfter < now + Self.soon } ?? false }
    }

    /// What certificates are called, by their public keys.
    func certificateNames() throws(KeychainError) -> [PublicHalf: String] {
        let found = try stored().map { item in
            (PublicHalf(item.item, item.contents?.publicKeyHash), ItemSummary(item.item).shownName)
        }
        return Dictionary(found, uniquingKeysWith: { first, _ in first })
    }

    /// The certificate of a private key; nil where it has none.
    func certificate(of key: FoundItem) throws(KeychainError) -> PersistentReference? {
        guard key.attributes.number(.keyClass) == 1 else { return nil }
        let half = PublicHalf(key, key.attributes.bytes(.applicationLabel))
        return try stored().first { PublicHalf($0.item, $0.contents?.publicKeyHash) == half }?.item.reference
    }

    /// The private keys, by their public halves.
    private func privateKeys() throws(KeychainError) -> [PublicHalf: PersistentReference] {
        var query = ItemCatalogue.query(.key)
        query.filters[.keyClass] = .integer(1)
        var request = FindRequest(query: query)
        request.limit = .all
        request.returns = .attributes
        request.authentication.ui = .skip
        let found = try catalogue.find(request).map {
            (PublicHalf($0, $0.attributes.bytes(.applicationLabel)), $0.reference)
        }
        return Dictionary(found, uniquingKeysWith: { first, _ in first })
    }

    // MARK: - What it says

    private static func trust(_ verdict: TrustVerdict) -> PageValues {
        switch verdict {
        case .isTrusted: ["isGood": true, "text": "This machine trusts the certificate."]
        case .isNotTrusted(let failures, _):
            [
                "isGood": false,
                "text": (["This machine does not trust the certificate."] + failures.prefix(3).map(\.message))
                    .joined(separator: " "),
            ]
        }
    }

    /// The levels that the pages have room for.
    private static let deepest = 5

    /// From the root down to this one.
    private static func chain(_ verdict: TrustVerdict, _ der: [UInt8]) -> [PageValues] {
        verdict.chain.prefix(deepest).reversed().enumerated().map { level, certificate in
            let name = CertificateContents(der: certificate)?.summary ?? "(no name)"
            return ["name": ForeignText.shown(name), "level": "level-\(level + 1)", "isThis": certificate == der]
        }
    }

    /// What people look for first.
    private static func summary(_ contents: CertificateContents) -> PageValues {
        func fact(_ name: String, _ text: String) -> PageValues {
            ["name": name, "value": text, "isMono": false, "isTime": false]
        }
        func time(_ name: String, _ seconds: Double) -> PageValues {
            ["name": name, "value": PageDate.text(seconds), "isTime": true, "iso": PageDate.machine(seconds)]
        }
        return [
            "title": "In short",
            "facts": [
                fact("Issued by", ForeignText.shown(contents.issuerSummary ?? "unknown", most: 500)),
                time("Valid from", contents.notBefore), time("Expires", contents.notAfter),
            ],
        ]
    }

    private static func facts(_ contents: CertificateContents, _ der: [UInt8]) -> [PageValues] {
        var about: [PageValues] = []
        var groups: [PageValues] = []
        for property in contents.properties(fingerprinting: der) {
            switch property.value {
            case .section(let parts):
                let facts = parts.flatMap(Self.facts)
                if !facts.isEmpty { groups.append(["title": property.label, "facts": facts]) }
            default: about += facts(property)
            }
        }
        return [["title": "About", "facts": about] as PageValues] + groups
    }

    private static func facts(_ property: CertificateProperty) -> [PageValues] {
        let name = CertificateProperty.plainName(property.label)
        switch property.value {
        case .string(let text), .url(let text):
            return [["name": name, "value": ForeignText.shown(text, most: 500), "isMono": false, "isTime": false]]
        case .data(let bytes):
            let digits = bytes.prefix(64).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
            let text = digits.joined(separator: " ") + (bytes.count > 64 ? " …" : "")
            return [["name": name, "value": text, "isMono": true, "isTime": false]]
        case .date(let seconds):
            return [
                ["name": name, "value": PageDate.text(seconds), "isTime": true, "iso": PageDate.machine(seconds)]
            ]
        case .section(let parts): return parts.flatMap(facts)
        }
    }
}

/// A public key, of a certificate or of a private key, in an access group: what is in another group may be another program's, and
/// goes with nothing, whatever it says of itself.
struct PublicHalf: Hashable {
    private let group: String
    private let digest: [UInt8]

    /// - Parameter digest: of the public key; nil for what has none, which goes with nothing.
    init(_ item: FoundItem, _ digest: [UInt8]?) {
        group = item.attributes.text(.accessGroup) ?? ""
        self.digest = digest ?? item.reference.bytes
    }
}

extension CertificateProperty {
    /// The parts of names by their numbers, which is how certificates have them.
    private static let names = [
        "2.5.4.3": "Common name", "2.5.4.6": "Country", "2.5.4.7": "Locality", "2.5.4.8": "State",
        "2.5.4.10": "Organization", "2.5.4.11": "Unit", "2.5.4.5": "Serial number",
        "1.2.840.113549.1.9.1": "E-mail address", "0.9.2342.19200300.100.1.25": "Domain component",
    ]

    fileprivate static func plainName(_ label: String) -> String { names[label] ?? label }
}

extension AttributeList {
    func bytes(_ key: AttributeKey) -> [UInt8]? {
        if case .data(let bytes) = self[key] { bytes } else { nil }
    }
}

extension SecretBytes {
    /// The bytes, where they are no secret.
    fileprivate var copied: [UInt8] { unsafe withUnsafeBytes { unsafe Array($0) } }
}
