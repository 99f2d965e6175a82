import FuzzSupport

@testable import KeychainCertificates
@testable import KeychainModel
@testable import KeychainProtocol

/// The stream of a client or of a server: the first byte says whose, the second in which pieces it comes.
///
/// What the decoder takes of a server, and each request of a client, is encoded again to something that means the same.
@main
enum FuzzFrames: FuzzTarget {
    static func run(_ bytes: [UInt8]) {
        guard bytes.count > 2 else { return }
        let isClient = bytes[0] & 1 == 0
        let piece = Int(bytes[1]) + 1
        var decoder = FrameDecoder(limit: isClient ? Frame.largestRequest : Frame.largestResponse)
        var rest = bytes[2...]
        while !rest.isEmpty {
            decoder.append(rest.prefix(piece))
            rest = rest.dropFirst(piece)
            do throws(KeychainError) {
                while let message = try decoder.next() {
                    if isClient { try takeClient(message) } else { try takeServer(message) }
                }
            } catch {
                return
            }
        }
    }

    private static func takeClient(_ message: [UInt8]) throws(KeychainError) {
        guard case .request(let id, .success(let request)) = try FrameCodec.decodeClient(message) else { return }
        let encoded = try FrameCodec.encode(.request(id: id, request))
        guard case .request(id, .success(let again)) = try FrameCodec.decodeClient(Array(encoded.dropFirst(4))) else {
            return require(false, "what is encoded can be decoded")
        }
        // Issuers are a set, whose order changes from one to the next; the length does not.
        let second = try FrameCodec.encode(.request(id: id, again))
        require(second.count == encoded.count, "a request means the same after another trip")
    }

    private static func takeServer(_ message: [UInt8]) throws(KeychainError) {
        let encoded = try FrameCodec.encode(try FrameCodec.decodeServer(message))
        let again = try? FrameCodec.decodeServer(Array(encoded.dropFirst(4)))
        require(again != nil, "what is encoded can be decoded")
    }

    static func seeds() throws -> [String: [UInt8]] {
        var seeds: [String: [UInt8]] = [:]
        for (name, request) in requests() {
            seeds[name] = try [0, 255] + FrameCodec.encode(.request(id: 1, request))
        }
        let other = Request.onBehalf(
            of: "/usr/bin/other",
            .batch([.delete(DeleteRequest(query: ItemQuery(itemClass: .key)))])
        )
        seeds["on-behalf"] = try [0, 255] + FrameCodec.encode(.request(id: 1, other))
        let hello = Hello(nonce: [UInt8](repeating: 1, count: 32), versions: 1...1)
        seeds["hello"] = try [1, 255] + FrameCodec.encode(.hello(hello))
        let authentication = Authentication(proof: AuthenticationProof.proof(for: hello), version: 1)
        seeds["authenticate"] = try [0, 0] + FrameCodec.encode(.authenticate(authentication))
        let identity = ServiceIdentity(
            name: "n",
            groups: ["TEAM.a"],
            kind: .signed,
            mode: .session,
            deficiencies: ["d"]
        )
        seeds["welcome"] = try [1, 3] + FrameCodec.encode(.welcome(identity))
        seeds["refusal"] = try [1, 255] + FrameCodec.encode(.refusal(KeychainError(.missingEntitlement, "no")))
        for (name, body) in responses() {
            seeds[name] = try [1, 255] + FrameCodec.encode(.response(Response(id: 1, body: body)))
        }
        return seeds
    }

    private static func requests() -> [String: Request] {
        var add = AddRequest(itemClass: .internetPassword)
        add.attributes["acct"] = .string("alice")
        add.attributes["port"] = .integer(443)
        add.accessGroup = "TEAM.a"
        add.accessControl = AccessControl(bare: .whenUnlocked)
        add.secrets = [.valueData: SecretBytes([1, 2]), "binn": SecretBytes([3])]
        add.returns = [.attributes, .data]
        var query = ItemQuery(itemClass: .certificate)
        query.filters["cdat"] = .date(1)
        query.filters["labl"] = .data([1])
        query.sha1 = [UInt8](repeating: 1, count: 20)
        query.certificate.issuers = [[0x31, 0]]
        query.certificate.validOn = .at(5)
        query.certificate.policy = .tls(isServer: true, name: "example.org")
        query.wantsExplanation = true
        query.certificate.emailAddressIfPresent = "a@example.org"
        var reference = ItemQuery(itemClass: .genericPassword)
        reference.reference = PersistentReference(itemClass: .genericPassword, uuid: ItemUUID())
        reference.synchronizable = .any
        var update = UpdateRequest(query: reference)
        update.changes.attributes["acct"] = .real(0.5)
        update.changes.accessibility = .always
        update.changes.isSynchronizable = true
        let delete = DeleteRequest(query: reference)
        var making = MakeKeyRequest()
        making.algorithm = .mlkem1024
        making.accessControl = AccessControl(bare: .whenUnlocked)
        return [
            "make-key": .operation(.makeKey(making)),
            "add": .operation(.add(add)), "find": .operation(.find(FindRequest(query: query))),
            "update": .operation(.update(update)),
            "batch": .batch([.delete(delete), .add(add)]), "transaction": .transaction([.delete(delete), .add(add)]),
            "who": .identity, "status": .status,
        ]
    }

    private static func responses() -> [String: Response.Body] {
        var attributes = AttributeList()
        attributes["acct"] = .string("alice")
        let item = FoundItem(
            reference: PersistentReference(itemClass: .identity, uuid: ItemUUID()),
            attributes: attributes,
            accessControl: AccessControl(bare: .always),
            secrets: [.valueData: SecretBytes([1])],
            object: SecretBytes([2]),
            sha1: [UInt8](repeating: 1, count: 20),
            certificate: IdentityCertificate(data: SecretBytes([3]), tokenID: .string("t"))
        )
        let status = ServiceStatus(version: "1", mode: .system, uptime: 1, connections: 2)
        return [
            "items": .outcome(.success(OperationResult(.items([item]), explanation: ["why"]))),
            "outcomes": .batch([
                .success(OperationResult(.count(1))), .failure(KeychainError(.duplicateItem, "twice")),
            ]),
            "service-status": .status(status),
        ]
    }
}
