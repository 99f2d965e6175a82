import SwiftASN1

extension CertificateExtension {
    /// Whether a malformed one counts as absent, and the certificate is read all the same.
    var isDispensable: Bool {
        !isCritical && (type == .extendedKeyUsage || type == .qualifiedCertificateStatements)
    }

    /// Reads the extensions without which nobody can say what a certificate is good for. If one of them is
    /// malformed, the certificate is refused, unless `isDispensable` says otherwise.
    ///
    /// - Throws: for one that has not the form of its type. Others may contain anything.
    func checkForm() throws {
        switch type {
        case .basicConstraints: try checkBasicConstraints()
        case .keyUsage: _ = try DERElement(value).maskedBits()
        case .extendedKeyUsage: try checkExtendedKeyUsage()
        case .policyMappings: try checkPolicyMappings()
        case .nameConstraints: try checkNameConstraints()
        case .qualifiedCertificateStatements: try checkStatements()
        default: break
        }
    }

    /// RFC 5280, section 4.2.1.9. A FALSE that is spelled out is taken: many do.
    private func checkBasicConstraints() throws {
        var fields = try DERElement(value).fields(of: .derSequence)
        if let isAuthority = try fields.optional(0x01) { _ = try Bool(derEncoded: isAuthority.node) }
        try fields.optional(.derInteger)?.checkCount()
        try fields.end()
    }

    /// RFC 5280, section 4.2.1.12: one purpose at least.
    private func checkExtendedKeyUsage() throws {
        var fields = try DERElement(value).fields(of: .derSequence)
        try fields.forEach { _ = try OID($0.node) }
    }

    /// RFC 5280, section 4.2.1.5: one pair of policies at least.
    private func checkPolicyMappings() throws {
        var fields = try DERElement(value).fields(of: .derSequence)
        try fields.forEach { mapping in
            var policies = try mapping.fields(of: .derSequence)
            for _ in 0..<2 { _ = try OID(policies.required(0x06).node) }
            try policies.end()
        }
    }

    /// RFC 5280, section 4.2.1.10: subtrees that are permitted, then subtrees that are excluded.
    private func checkNameConstraints() throws {
        var fields = try DERElement(value).fields(of: .derSequence)
        for number in 0...1 as ClosedRange<UInt8> {
            let tag = UInt8.derTaggedElements(number)
            guard var subtrees = try fields.optional(tag)?.fields(of: tag) else { continue }
            try subtrees.forEach { subtree in
                var parts = try subtree.fields(of: .derSequence)
                guard let base = try parts.next() else { throw Malformed() }
                _ = try GeneralName(base)
                // How many labels there may be beside it: minimum and maximum.
                for number in 0...1 as ClosedRange<UInt8> { try parts.optional(.derTagged(number))?.checkCount() }
                try parts.end()
            }
        }
        try fields.end()
    }

    /// RFC 3739, section 3.2.6.
    private func checkStatements() throws {
        try DER.parse(value).forEachChild(of: .sequence) { statement in
            try DER.sequence(statement, identifier: .sequence) { parts in
                guard let identifier = parts.next() else { throw Malformed() }
                _ = try OID(identifier)
                // What is stated, by a form that the identifier defines.
                _ = parts.next()
            }
        }
    }
}

extension DERElement {
    /// The bytes of a BIT STRING. Bits that do not count are often set, and are not here.
    ///
    /// - Throws: for another element.
    func maskedBits() throws -> [UInt8] {
        guard tag == .derBitString, let unused = content.first, unused < 8, content.count > 1 || unused == 0 else {
            throw Malformed()
        }
        var bits = Array(content.dropFirst())
        if let last = bits.popLast() { bits.append(last & (0xFF << unused)) }
        return bits
    }

    /// - Throws: unless the content is that of an INTEGER of zero or more (ITU-T X.690, section 8.3).
    fileprivate func checkCount() throws {
        guard let first = content.first, first < 0x80 else { throw Malformed() }
        guard first == 0, let second = content.dropFirst().first else { return }
        guard second >= 0x80 else { throw Malformed() }
    }
}

extension DERFields {
    /// Gives the body all elements.
    ///
    /// - Throws: also where there is none.
    fileprivate mutating func forEach(_ body: (DERElement) throws -> Void) throws {
        var count = 0
        while let element = try next() {
            try body(element)
            count += 1
        }
        guard count > 0 else { throw Malformed() }
    }
}
