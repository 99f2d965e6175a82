/// What the page asked for, or was kept from asking for.
package struct PageRequest: Sendable {
    package let url: String
    package let method: String
    /// Such as `Document`, `Script` and `Fetch`.
    package let kind: String
    /// Such as `parser`, `script` and `other`.
    package let initiator: String
    package fileprivate(set) var status: Int?
    /// How it failed.
    package fileprivate(set) var failure: String?
    /// What kept it from being made, such as `csp`.
    package fileprivate(set) var blockedReason: String?
}

extension Page {
    /// All that the page has asked for since it was made, in order.
    package var requests: [PageRequest] {
        get throws {
            try catchUp()
            var requests: [PageRequest] = []
            var places: [String: Int] = [:]
            for event in pipe.events(session) where event.method.hasPrefix("Network.") {
                let details = event.details
                let identifier = details["requestId"].text ?? ""
                if event.method == "Network.requestWillBeSent" {
                    if let place = places[identifier] {
                        requests[place].status = details["redirectResponse"]["status"].int
                    }
                    places[identifier] = requests.count
                    requests.append(PageRequest(details))
                    continue
                }
                guard let place = places[identifier] else { continue }
                if event.method == "Network.responseReceived" {
                    requests[place].status = details["response"]["status"].int
                } else if event.method == "Network.loadingFailed" {
                    requests[place].failure = details["errorText"].text ?? ""
                    requests[place].blockedReason = details["blockedReason"].text
                }
            }
            return requests
        }
    }

    /// Asks for something as the page would, and returns the status of the answer.
    package func fetchStatus(
        _ method: String,
        _ url: String,
        headers: [String: String] = [:],
        body: String? = nil,
        within seconds: Double = 20
    ) throws -> Int {
        var options: [String: JSONValue] = [
            "method": .string(method), "headers": .object(headers.mapValues(JSONValue.string)),
        ]
        options["body"] = body.map(JSONValue.string)
        let call = "\(JSONValue.string(url).quoted), \(JSONValue.object(options).quoted)"
        return try evaluate("fetch(\(call)).then(answer => answer.status)", within: seconds).int ?? 0
    }

    /// Lets the browser tell all that it has to tell of what has happened so far.
    func catchUp() throws {
        try evaluate("0")
        try send("Network.enable")
    }
}

extension PageRequest {
    fileprivate init(_ details: JSONValue) {
        url = details["request"]["url"].text ?? ""
        method = details["request"]["method"].text ?? ""
        kind = details["type"].text ?? ""
        initiator = details["initiator"]["type"].text ?? ""
    }
}
