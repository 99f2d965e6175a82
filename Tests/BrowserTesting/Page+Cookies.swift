package struct Cookie: Sendable, Equatable {
    package let name: String
    package let value: String
    package let domain: String
    package let path: String
    package let isHTTPOnly: Bool
    package let isSecure: Bool
    /// `Strict`, `Lax` or `None`; nil where its header says nothing.
    package let sameSite: String?
    /// In seconds since 1970; nil if it goes with the browser.
    package let expires: Double?

    fileprivate init(_ cookie: JSONValue) {
        name = cookie["name"].text ?? ""
        value = cookie["value"].text ?? ""
        domain = cookie["domain"].text ?? ""
        path = cookie["path"].text ?? ""
        isHTTPOnly = cookie["httpOnly"].isTrue
        isSecure = cookie["secure"].isTrue
        sameSite = cookie["sameSite"].text
        expires = cookie["session"].isTrue ? nil : cookie["expires"].double
    }
}

extension Page {
    /// All cookies in the page's jar, also those that scripts are not shown.
    package func cookies() throws -> [Cookie] {
        try inJar("Storage.getCookies")["cookies"].elements.map(Cookie.init)
    }

    /// - Parameter url: of the site that has set it, so to say.
    package func setCookie(_ name: String, _ value: String, url: String, isHTTPOnly: Bool = false) throws {
        let cookie: JSONValue = [
            "name": .string(name), "value": .string(value), "url": .string(url), "httpOnly": .boolean(isHTTPOnly),
        ]
        try inJar("Storage.setCookies", ["cookies": [cookie]])
    }

    package func clearCookies() throws {
        try inJar("Storage.clearCookies")
    }

    @discardableResult
    private func inJar(_ method: String, _ parameters: [String: JSONValue] = [:]) throws -> JSONValue {
        var parameters = parameters
        parameters["browserContextId"] = context.map { .string($0.identifier) }
        return try pipe.send(method, .object(parameters), by: Deadline(within: 20))
    }
}
