import EnclaveInterface
import Foundation
import KeychainBackup
import KeychainMessages
import KeychainModel

extension WireClientFrame {
    init(_ message: ClientMessage) {
        self.init()
        switch message {
        case .authenticate(let authentication):
            authenticate.proof = Data(authentication.proof)
            authenticate.version = authentication.version
        case .request(let id, let request):
            self.request = WireRequest(id: id, request)
        }
    }
}

extension ReceivedClientMessage {
    init(_ wire: WireClientFrame) throws(KeychainError) {
        switch wire.body {
        case .authenticate(let authentication):
            guard authentication.proof.count == 32 else {
                throw KeychainError(.invalidParameter, "a proof of another length than 32 bytes")
            }
            self = .authenticate(
                Authentication(proof: Array(authentication.proof), version: authentication.version)
            )
        case .request(let request):
            self = .request(id: request.id, Result { () throws(KeychainError) in try Request(request) })
        case nil: throw KeychainError(.invalidParameter, "a frame is no message that this version knows")
        }
    }
}

extension WireRequest {
    init(id: UInt64, _ request: Request) {
        if case .onBehalf(let program, let request) = request {
            self.init(id: id, request)
            onBehalfOf = program
            return
        }
        self.init()
        self.id = id
        switch request {
        case .operation(let operation): self.operation = WireOperation(operation)
        case .batch(let operations): batch.operations = operations.map { WireOperation($0) }
        case .transaction(let operations):
            batch.operations = operations.map { WireOperation($0) }
            batch.isAllOrNothing = true
        case .identity: identity = WireIdentityRequest()
        case .status: status = WireStatusRequest()
        case .watch: watch = WireWatchRequest()
        case .watchCircle: watch.isForCircle = true
        case .rotate(let token): rotate.token = Data(token.bytes)
        case .backup(let request): backup = WireBackup(request)
        case .restore(let message): restore = WireRestore(message)
        case .evaluate(let request): evaluate = WireEvaluate(request)
        case .presence: presence = WirePresenceRequest()
        case .circle(let request): circle = WireCircle(request)
        case .synchronize(let takesSeveral, let place):
            circle.synchronize.takesSeveral = takesSeveral
            if let place { circle.synchronize.place = place }
        case .carried(let reply): circle.carried = WireCircle.Carried(reply)
        case .onBehalf: break
        }
    }
}

extension Request {
    /// Operations of one batch at most.
    package static let mostOperations = 1000

    /// - Throws: `unimplemented` for a request that is unknown here; what is wrong with the first bad operation.
    init(_ wire: WireRequest) throws(KeychainError) {
        switch wire.body {
        case .operation(let operation): self = .operation(try KeychainOperation(operation))
        case .batch(let batch):
            guard batch.operations.count <= Self.mostOperations else {
                throw KeychainError(.dataTooLarge, "a batch has more than \(Self.mostOperations) operations")
            }
            let operations = try batch.operations.map { (operation) throws(KeychainError) in
                let operation = try KeychainOperation(operation)
                if operation.traits.isForKey {
                    throw KeychainError(.invalidParameter, "private keys are used by themselves, and not in a batch")
                }
                return operation
            }
            self = batch.isAllOrNothing ? .transaction(operations) : .batch(operations)
        case .identity: self = .identity
        case .status: self = .status
        case .watch(let request): self = request.isForCircle ? .watchCircle : .watch
        case .rotate(let request): self = .rotate(try AuthorizationToken(wire: request.token))
        case .backup(let request): self = .backup(try BackupRequest(request))
        case .restore(let message): self = .restore(try RestoreMessage(message))
        case .evaluate(let request): self = .evaluate(try PresenceRequest(request))
        case .presence: self = .presence
        case .circle(let request): self = try Request(request)
        case nil: throw KeychainError(.unimplemented, "this version of the service does not know the request")
        }
        guard !wire.onBehalfOf.isEmpty else { return }
        switch self {
        case .operation, .batch, .transaction: self = .onBehalf(of: wire.onBehalfOf, self)
        default: throw KeychainError(.invalidParameter, "a request that is no operation, on behalf of another program")
        }
    }
}

extension WireOperation {
    init(_ operation: KeychainOperation) {
        self.init()
        switch operation.action {
        case .add(let request): add = WireAdd(request)
        case .find(let request): find = WireFind(request)
        case .update(let request): update = WireUpdate(request)
        case .delete(let request): delete = WireDelete(request)
        case .makeKey(let request): makeKey = WireMakeKey(request)
        case .useKey(let request): useKey = WireUseKey(request)
        }
    }
}

extension KeychainOperation {
    init(_ wire: WireOperation) throws(KeychainError) {
        switch wire.body {
        case .add(let add): self = .add(try AddRequest(add))
        case .find(let find): self = .find(try FindRequest(find))
        case .update(let update): self = .update(try UpdateRequest(update))
        case .delete(let delete): self = .delete(try DeleteRequest(delete))
        case .makeKey(let makeKey): self = .makeKey(try MakeKeyRequest(makeKey))
        case .useKey(let useKey): self = .useKey(try UseKeyRequest(useKey))
        case nil: throw KeychainError(.unimplemented, "this version of the service does not know the operation")
        }
    }
}
