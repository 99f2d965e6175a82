import Foundation
import Pinning
import Security

// Fetches from the address that is given, with an evaluator that refuses every server. Prints what came of it, and which
// challenges there were.
struct RefusesAll: TrustEvaluating {
    func evaluate(_ trust: SecTrust, forHost host: String) throws { throw EvaluationError.noMatch }
}

print("pinning", hasPinning ? "compiled" : "not compiled")
let delegate = SessionDelegate(evaluators: ["localhost": RefusesAll()])
if let address = CommandLine.arguments.dropFirst().first.flatMap({ URL(string: $0) }) {
    let session = URLSession(configuration: .ephemeral, delegate: delegate, delegateQueue: nil)
    do {
        let (data, _) = try await session.data(from: address)
        print("answer", data.isEmpty ? "empty" : "received")
    } catch {
        print("error", (error as NSError).code)
    }
    print("challenges", delegate.challenges.count)
}
