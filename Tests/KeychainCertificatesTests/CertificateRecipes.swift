import KeychainTestSupport

/// How the files of the vectors are made. Nothing in them depends on the moment or on chance.
struct CertificateRecipe {
    let vector: CertificateVector
    let bytes: [UInt8]

    private typealias Crafted = CraftedCertificate

    private init(_ name: String, _ expectation: String, _ source: String, _ change: (inout CraftedCertificate) -> Void)
    {
        var crafted = CraftedCertificate()
        change(&crafted)
        vector = CertificateVector(name: name, expectation: expectation, source: source)
        bytes = crafted.bytes
    }

    static let all = times + alternativeNames + subjects + constraints + usages + policies + subtrees + fields

    // MARK: - Fields

    private static func time(_ name: String, _ tag: UInt8, _ text: String, _ expectation: String) -> CertificateRecipe {
        CertificateRecipe(name, expectation, "ITU-T X.680, 46 and 47; RFC 5280, 4.1.2.5") {
            $0.validity = der(0x30, der(tag, Array(text.utf8)) + der(0x17, Array("400101000000Z".utf8)))
        }
    }

    private static let times = [
        time("utctime-ahead", 0x17, "200101000000+0130", "taken begins=599524200"),
        time("utctime-behind", 0x17, "200101000000-0800", "taken begins=599558400"),
        time("utctime-without-seconds", 0x17, "2001010000Z", "taken begins=599529600"),
        time("utctime-without-seconds-ahead", 0x17, "2001010000+0100", "refused"),
        time("generalizedtime-ahead", 0x18, "20200101000000+0100", "taken begins=599526000"),
        time("generalizedtime-behind", 0x18, "20200101000000-0030", "taken begins=599531400"),
        time("utctime-a-day-ahead", 0x17, "200101000000+2400", "refused"),
        time("utctime-cut-off", 0x17, "200101000000+01", "refused"),
        time("utctime-without-zone", 0x17, "200101000000", "refused"),
        time("generalizedtime-without-zone", 0x18, "20200101000000", "refused"),
        time("generalizedtime-without-seconds", 0x18, "202001010000Z", "refused"),
    ]

    private static let fields = [
        CertificateRecipe("outer-algorithm-empty", "refused", "RFC 5280, 4.1.1.2") {
            $0.outerAlgorithm = der(0x30, [])
        },
        CertificateRecipe("outer-algorithm-number", "refused", "RFC 5280, 4.1.1.2") {
            $0.outerAlgorithm = der(0x30, [0x02, 0x01, 0x00])
        },
        CertificateRecipe("extensions-under-3", "taken hosts=www.example.com", "RFC 5280, 4.1.2.9") {
            $0.extensions = [Crafted.element(Crafted.subjectAlternativeName, der(0x30, host))]
        },
        CertificateRecipe("extensions-under-4", "refused", "RFC 5280, 4.1.2.9") {
            $0.extensions = [Crafted.element(Crafted.subjectAlternativeName, der(0x30, host))]
            $0.extensionsTag = 0xA4
        },
        CertificateRecipe("ed25519", "taken key=1.3.101.112", "RFC 8410, 4; the key of RFC 8032, 7.1") {
            let point: [UInt8] = [
                0xD7, 0x5A, 0x98, 0x01, 0x82, 0xB1, 0x0A, 0xB7, 0xD5, 0x4B, 0xFE, 0xD3, 0xC9, 0x64, 0x07, 0x3A,
                0x0E, 0xE1, 0x72, 0xF3, 0xDA, 0xA6, 0x23, 0x25, 0xAF, 0x02, 0x1A, 0x68, 0xF7, 0x07, 0x51, 0x1A,
            ]
            $0.algorithm = der(0x30, [0x06, 0x03, 0x2B, 0x65, 0x70])
            $0.publicKey = der(0x30, $0.algorithm + der(0x03, [0x00] + point))
        },
    ]

    // MARK: - Names

    private static let host = der(0x82, Array("www.example.com".utf8))
    /// No element of DER.
    private static let garbage: [UInt8] = [0xFF, 0xFF, 0xFF]

    private static func names(
        _ name: String,
        _ expectation: String,
        _ value: [UInt8],
        isCritical: Bool = false
    ) -> CertificateRecipe {
        CertificateRecipe(name, expectation, "RFC 5280, 4.2.1.6") {
            let type = Crafted.subjectAlternativeName
            $0.extensions = [isCritical ? Crafted.criticalElement(type, value) : Crafted.element(type, value)]
        }
    }

    private static let alternativeNames = [
        names("other-name-opaque", "taken hosts=www.example.com", der(0x30, der(0xA0, garbage) + host)),
        names("x400-address-opaque", "taken hosts=www.example.com", der(0x30, der(0xA3, garbage) + host)),
        names("directory-name-opaque", "taken hosts=www.example.com", der(0x30, der(0xA4, garbage) + host)),
        names("edi-party-name-opaque", "taken hosts=www.example.com", der(0x30, der(0xA5, garbage) + host)),
        names("uri-in-pieces-opaque", "taken hosts=www.example.com", der(0x30, der(0xA6, garbage) + host)),
        names(
            "other-name-opaque-critical",
            "taken hosts=www.example.com",
            der(0x30, der(0xA0, garbage) + host),
            isCritical: true
        ),
        names("alternative-name-cut-off", "taken hosts=", der(0x30, host) + [0x82, 0x05]),
        names("alternative-name-longer-than-all", "taken hosts=", der(0x30, host + [0x82, 0x05])),
        names("alternative-name-is-no-sequence", "taken hosts=", host),
        names("alternative-name-is-no-text", "taken hosts=", der(0x30, host + der(0x82, [0xFF]))),
        names("alternative-name-of-another-class", "taken hosts=", der(0x30, host + [0x05, 0x00])),
        names("alternative-name-critical-cut-off", "refused", der(0x30, host + [0x82, 0x05]), isCritical: true),
    ]

    private static func subject(_ name: String, _ expectation: String, _ subject: [UInt8]) -> CertificateRecipe {
        CertificateRecipe(name, expectation, "RFC 5280, 4.1.2.6") { $0.subject = subject }
    }

    private static let subjects = [
        subject("subject-empty", "taken subject=there", der(0x30, [])),
        subject("subject-opaque", "taken subject=none", der(0x30, garbage)),
        subject("subject-part-is-no-set", "taken subject=none", der(0x30, der(0x30, []))),
        subject("subject-without-value", "taken subject=none", der(0x30, der(0x31, der(0x30, Crafted.commonName)))),
        subject("subject-type-is-no-identifier", "taken subject=none", der(0x30, der(0x31, der(0x30, [5, 0, 5, 0])))),
        subject("subject-is-no-sequence", "refused", der(0x31, [])),
        CertificateRecipe("issuer-opaque", "refused", "RFC 5280, 4.1.2.4") { $0.issuer = der(0x30, garbage) },
    ]

    // MARK: - Extensions that have to be well formed

    private static func element(
        _ name: String,
        _ expectation: String,
        _ number: UInt8,
        _ section: String,
        _ value: [UInt8],
        isCritical: Bool = false
    ) -> CertificateRecipe {
        CertificateRecipe(name, expectation, "RFC 5280, \(section)") {
            let type: [UInt8] = [0x06, 0x03, 0x55, 0x1D, number]
            $0.extensions = [isCritical ? Crafted.criticalElement(type, value) : Crafted.element(type, value)]
        }
    }

    private static func constraint(_ name: String, _ expectation: String, _ value: [UInt8]) -> CertificateRecipe {
        element("basic-constraints-\(name)", expectation, 0x13, "4.2.1.9", value)
    }

    private static let constraints = [
        constraint("empty", "taken", der(0x30, [])),
        constraint("false", "taken", der(0x30, [0x01, 0x01, 0x00])),
        constraint("length", "taken", der(0x30, [0x01, 0x01, 0xFF, 0x02, 0x01, 0x00])),
        constraint("no-sequence", "refused", [0x01, 0x01, 0xFF]),
        constraint("strange-boolean", "refused", der(0x30, [0x01, 0x01, 0x01])),
        constraint("number-for-boolean", "refused", der(0x30, [0x04, 0x01, 0x00])),
        constraint("negative-length", "refused", der(0x30, [0x01, 0x01, 0xFF, 0x02, 0x01, 0xFF])),
        constraint("padded-length", "refused", der(0x30, [0x01, 0x01, 0xFF, 0x02, 0x02, 0x00, 0x01])),
        constraint("one-too-many", "refused", der(0x30, [0x01, 0x01, 0xFF, 0x02, 0x01, 0x00, 0x05, 0x00])),
        constraint("something-behind", "refused", der(0x30, []) + [0x05, 0x00]),
        constraint("cut-off", "refused", [0x30, 0x03, 0x01, 0x01]),
    ]

    private static let usages =
        [
            element("key-usage", "taken", 0x0F, "4.2.1.3", [0x03, 0x02, 0x02, 0x04]),
            element("key-usage-bytes", "refused", 0x0F, "4.2.1.3", [0x04, 0x02, 0x02, 0x04]),
            element("key-usage-nine-unused-bits", "refused", 0x0F, "4.2.1.3", [0x03, 0x02, 0x09, 0x00]),
            element("key-usage-unused-bits-set", "taken", 0x0F, "4.2.1.3", [0x03, 0x02, 0x07, 0xFF]),
            element("key-usage-something-behind", "refused", 0x0F, "4.2.1.3", [0x03, 0x02, 0x02, 0x04, 0x00]),
            element("extended-key-usage", "taken", 0x25, "4.2.1.12", der(0x30, [0x06, 0x03, 0x2A, 0x03, 0x04])),
        ] + malformedUsages(isCritical: false) + malformedUsages(isCritical: true)

    /// Where they are not critical, the extension is as good as absent.
    private static func malformedUsages(isCritical: Bool) -> [CertificateRecipe] {
        let values = [
            ("empty", der(0x30, [])), ("number", der(0x30, [0x02, 0x01, 0x01])),
            ("cut-off", der(0x30, [0x06, 0x02, 0x2A, 0x81])), ("no-sequence", [0x06, 0x03, 0x2A, 0x03, 0x04]),
        ]
        return values.map { name, value in
            element(
                "extended-key-usage-\(name)" + (isCritical ? "-critical" : ""),
                isCritical ? "refused" : "taken",
                0x25,
                "4.2.1.12",
                value,
                isCritical: isCritical
            )
        }
    }

    private static func statements(_ name: String, _ value: [UInt8], isCritical: Bool = false) -> CertificateRecipe {
        let fullName = "qualified-statements-\(name)" + (isCritical ? "-critical" : "")
        return CertificateRecipe(fullName, isCritical && name != "known" ? "refused" : "taken", "RFC 3739, 3.2.6") {
            let type: [UInt8] = [0x06, 0x08, 0x2B, 6, 1, 5, 5, 7, 1, 3]
            $0.extensions = [isCritical ? Crafted.criticalElement(type, value) : Crafted.element(type, value)]
        }
    }

    private static let policy: [UInt8] = [0x06, 0x03, 0x2A, 0x03, 0x04]

    private static let policies =
        [
            element("policy-mappings", "taken", 0x21, "4.2.1.5", der(0x30, der(0x30, policy + policy))),
            element("policy-mappings-empty", "refused", 0x21, "4.2.1.5", der(0x30, [])),
            element("policy-mappings-half", "refused", 0x21, "4.2.1.5", der(0x30, der(0x30, policy))),
            element(
                "policy-mappings-three",
                "refused",
                0x21,
                "4.2.1.5",
                der(0x30, der(0x30, policy + policy + policy))
            ),
            element("policy-mappings-number", "refused", 0x21, "4.2.1.5", der(0x30, der(0x30, policy + [2, 1, 1]))),
        ]
        + [false, true].flatMap { isCritical in
            [
                ("known", der(0x30, der(0x30, policy) + der(0x30, policy + [0x05, 0x00]))),
                ("without-identifier", der(0x30, der(0x30, []))),
                ("three-parts", der(0x30, der(0x30, policy + [0x05, 0x00, 0x05, 0x00]))),
                ("no-sequence", [0x05, 0x00]),
                ("cut-off", [0x30, 0x05, 0x30, 0x03]),
            ].map { statements($0, $1, isCritical: isCritical) }
        }

    private static func subtree(_ name: String, _ expectation: String, _ value: [UInt8]) -> CertificateRecipe {
        element("name-constraints-\(name)", expectation, 0x1E, "4.2.1.10", value)
    }

    private static let subtrees = [
        subtree("both", "taken", der(0x30, der(0xA0, der(0x30, host)) + der(0xA1, der(0x30, host)))),
        subtree("opaque-name", "taken", der(0x30, der(0xA1, der(0x30, der(0xA0, garbage))))),
        subtree("minimum", "taken", der(0x30, der(0xA1, der(0x30, host + [0x80, 0x01, 0x00, 0x81, 0x01, 0x05])))),
        subtree("no-base", "refused", der(0x30, der(0xA0, der(0x30, [])))),
        subtree("base-is-no-name", "refused", der(0x30, der(0xA0, der(0x30, [0x05, 0x00])))),
        subtree("no-subtree", "refused", der(0x30, der(0xA1, []))),
        subtree("wrong-order", "refused", der(0x30, der(0xA1, der(0x30, host)) + der(0xA0, der(0x30, host)))),
        subtree("unknown-tag", "refused", der(0x30, der(0xA2, der(0x30, host)))),
        subtree("negative-minimum", "refused", der(0x30, der(0xA1, der(0x30, host + [0x80, 0x01, 0xFF])))),
        subtree("one-too-many", "refused", der(0x30, der(0xA1, der(0x30, host + [0x05, 0x00])))),
        subtree("no-sequence", "refused", host),
    ]
}
