package import KeychainCodes
package import KeychainModel

/// A password as another program has written it.
package struct ImportedPassword: Sendable {
    /// What a person calls it.
    package var title = ""
    package var userName = ""
    package var url = ""
    package var notes = ""
    /// Folders above it, from the outermost.
    package var folder: [String] = []
    package var password = SecretBytes([])
    /// What makes its one-time codes, if it has them.
    package var code: OneTimeCode?
    /// What else it has, for which an item has no place: the names, as the other program calls them, each once.
    package var unplaced: [String] = []
    /// Whether it was thrown away, and is not to be added.
    package var isDeleted = false
    /// What kind of entry it is, where it is no password, and not to be added.
    package var refusal: String?

    /// Whether it is to be added.
    package var isTaken: Bool { !isDeleted && refusal == nil }

    package init() {}

    /// Takes the text of a one-time code. One that is refused is named among what has no place, with the reason.
    ///
    /// - Parameter name: what the other program calls it.
    mutating func take(code text: String, called name: String) {
        do throws(CodeFailure) {
            code = try OneTimeCode(text: text.utf8)
        } catch {
            unplaced.append("\(name): \(error.message)")
        }
    }

    /// The item of its one-time codes, which goes with that of the password.
    package var codeRequest: AddRequest? {
        let password = request
        func text(_ key: AttributeKey) -> String? {
            if case .string(let text) = password.attributes[key] { text } else { nil }
        }
        guard let code, let place = text(.server) ?? text(.service),
            let named = try? code.named(issuer: title.isEmpty ? place : title, account: userName)
        else { return nil }
        return CodeItem.request(named, for: place, account: userName, label: text(.label) ?? place)
    }

    /// What is lost with it.
    package var lost: [String] { (folder.isEmpty ? [] : ["folder"]) + unplaced }

    /// What there is to add: an Internet password where it names a server, else a generic one under its title.
    package var request: AddRequest {
        let place = WebPlace(url)
        var request = AddRequest(itemClass: place == nil ? .genericPassword : .internetPassword)
        if let place {
            request.attributes[.server] = .string(place.host)
            request.attributes[.networkProtocol] = .string(place.protocolCode)
            if let port = place.port { request.attributes[.port] = .integer(Int64(port)) }
            if !place.path.isEmpty { request.attributes[.path] = .string(place.path) }
        } else {
            request.attributes[.service] = .string(title.isEmpty ? url : title)
        }
        request.attributes[.account] = .string(userName)
        let label = title.isEmpty ? place?.host ?? url : title
        if !label.isEmpty { request.attributes[.label] = .string(label) }
        if !notes.isEmpty { request.attributes[.comment] = .string(notes) }
        request.secrets[.valueData] = password
        return request
    }
}

/// Why a file could not be imported.
package struct ImportFailure: Error, Equatable {
    package let message: String

    package init(_ message: String) {
        self.message = message
    }
}
