import KeychainEngine
import KeychainModel
import KeychainProtocol

/// The operations of the wire as the engine knows them.
extension Operation {
    var itemOperation: ItemOperation {
        switch self {
        case .add(let request): .add(request)
        case .find(let request, _): .find(request)
        case .update(let request, _): .update(request)
        case .delete(let request, _): .delete(request)
        case .makeKey(let request): .makeKey(request)
        case .useKey(let request): .useKey(request)
        }
    }

    var isSearch: Bool {
        if case .find = self { true } else { false }
    }

    /// Whether a keychain is made where there is none. The others are answered as an empty one would.
    var makesKeychain: Bool {
        switch self {
        case .add, .makeKey: true
        case .find, .update, .delete, .useKey: false
        }
    }

    /// Why nothing matched, if nothing did and the client asked for it. It tells what the caller could have asked itself.
    func explanation(of result: OperationResult, by engine: KeychainEngine, for caller: Caller) -> [String] {
        let isEmpty =
            switch result.answer {
            case .items(let items): items.isEmpty
            case .count(let count): count == 0
            case .key, .secret: false
            }
        guard isEmpty, let query = explainedQuery else { return [] }
        return engine.explainAbsence(of: query, for: caller)
    }

    private var explainedQuery: ItemQuery? {
        switch self {
        case .add: nil
        case .find(let request, let wantsExplanation): wantsExplanation ? request.query : nil
        case .update(let request, let wantsExplanation): wantsExplanation ? request.query : nil
        case .delete(let request, let wantsExplanation): wantsExplanation ? request.query : nil
        case .makeKey, .useKey: nil
        }
    }
}

extension Outcome {
    init(_ result: Result<OperationResult, KeychainError>, explanation: [String]) {
        switch result {
        case .failure(let error): self = .failed(error)
        case .success(let result):
            switch result.answer {
            case .items(let items): self = .items(items, explanation: explanation)
            case .count(let count): self = .count(count, explanation: explanation)
            case .key(let key): self = .key(key)
            case .secret(let secret): self = .secret(secret)
            }
        }
    }
}
