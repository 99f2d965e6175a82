package import KeychainModel

/// How a one-time code is kept: as a generic password of its own, beside the password that it goes with
/// (docs/formats/one-time-code.md). So a program that reads the password does not get the code's secret with it.
package enum CodeItem {
    /// `kSecAttrDescription`.
    package static let kind = "one-time code"

    /// What the service begins with. The rest is the password's own service, or its server.
    package static let scheme = "otpauth:"

    /// What adds a code.
    ///
    /// - Parameters:
    ///   - place: the service or the server of the password; without a password, the code's issuer.
    ///   - account: of the password.
    package static func request(
        _ code: OneTimeCode,
        for place: String,
        account: String,
        label: String
    ) -> AddRequest {
        var request = AddRequest(itemClass: .genericPassword)
        request.attributes[.service] = .string(scheme + place)
        request.attributes[.account] = .string(account)
        request.attributes[.kindText] = .string(kind)
        if !label.isEmpty { request.attributes[.label] = .string(label) }
        request.secrets[.valueData] = code.uri
        return request
    }

    /// What finds the code that goes with a password.
    package static func query(for place: String, account: String) -> ItemQuery {
        var query = ItemQuery(itemClass: .genericPassword)
        query.synchronizable = .any
        query.filters[.service] = .string(scheme + place)
        query.filters[.account] = .string(account)
        query.filters[.kindText] = .string(kind)
        return query
    }

    /// What finds all codes.
    package static var all: ItemQuery {
        var query = ItemQuery(itemClass: .genericPassword)
        query.synchronizable = .any
        query.filters[.kindText] = .string(kind)
        return query
    }

    /// What the item is for, where it is a code.
    package static func place(of attributes: AttributeList) -> String? {
        guard attributes[.kindText] == .string(kind), case .string(let service)? = attributes[.service],
            service.utf8.starts(with: scheme.utf8)
        else { return nil }
        return String(decoding: service.utf8.dropFirst(scheme.utf8.count), as: UTF8.self)
    }
}

extension OneTimeCode {
    /// The same code under the names of its password, where it has none itself.
    ///
    /// - Throws: `labelTooLong`.
    package func named(issuer: String, account: String) throws(CodeFailure) -> OneTimeCode {
        guard self.issuer.isEmpty, self.account.isEmpty else { return self }
        return try OneTimeCode(
            secret: secret,
            algorithm: algorithm,
            digits: digits,
            period: period,
            issuer: issuer.cut,
            account: account.cut
        )
    }
}

extension String {
    /// No longer than a code's name may be.
    fileprivate var cut: String {
        guard utf8.count > OneTimeCode.longestLabel else { return self }
        var bytes = 0
        return String(
            String.UnicodeScalarView(
                unicodeScalars.prefix { scalar in
                    bytes += UTF8.width(scalar)
                    return bytes <= OneTimeCode.longestLabel
                }
            )
        )
    }
}
