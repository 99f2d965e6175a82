import KeychainCertificates
import KeychainMessages
import KeychainModel
import KeychainProtocol
import KeychainTestSupport
import SwiftProtobuf
import Testing

@Suite("What is sent arrives as it was")
struct RoundTripTests {
    private func arrived(_ request: Request) throws -> Request {
        let frame = try FrameCodec.encode(.request(id: 7, request))
        guard case .request(7, let result) = try FrameCodec.decodeClient(Array(frame.dropFirst(4))) else {
            throw KeychainError(.internalError, "no request arrived")
        }
        return try result.get()
    }

    private func arrived(_ message: ServerMessage) throws -> ServerMessage {
        try FrameCodec.decodeServer(Array(FrameCodec.encode(message).dropFirst(4)))
    }

    private func expectSame(_ operation: KeychainOperation) throws {
        #expect(try picture(arrived(.operation(operation))) == picture(Request.operation(operation)))
    }

    private func expectSame(_ body: Response.Body, hasMore: Bool = false) throws {
        let message = ServerMessage.response(Response(id: .max, hasMore: hasMore, body: body))
        #expect(try picture(arrived(message)) == picture(message))
    }

    @Test(arguments: ItemClass.allCases)
    func `a request of any class with all its attributes`(itemClass: ItemClass) throws {
        try expectSame(.add(Samples.add(itemClass)))
        try expectSame(.find(Samples.find(itemClass)).explained)
        try expectSame(.update(Samples.update(itemClass)))
        try expectSame(.delete(Samples.delete(itemClass)).explained)
    }

    @Test func `operations on behalf of another program, with its name as it was given`() throws {
        let operation = KeychainOperation.find(Samples.find(.genericPassword))
        for request in [Request.operation(operation), .batch([operation, operation])] {
            let request = Request.onBehalf(of: "/usr/bin/e\u{301}\n\"", request)
            #expect(try picture(arrived(request)) == picture(request))
        }
    }

    @Test func `a request with nothing but its class`() throws {
        var query = ItemQuery(itemClass: .key)
        try expectSame(.add(AddRequest(itemClass: .key)))
        try expectSame(.find(FindRequest(query: query)))
        query.synchronizable = .any
        try expectSame(.update(UpdateRequest(query: query)).explained)
        try expectSame(.delete(DeleteRequest(query: query)))
    }

    @Test(arguments: [
        AttributeValue.string(""), .string("e\u{301} \0"), .data([]), .integer(.min), .integer(.max), .integer(0),
        .real(.nan), .real(-0.0), .real(.infinity),
    ])
    func `a value of any type, empty or extreme`(value: AttributeValue) throws {
        var request = AddRequest(itemClass: .genericPassword)
        request.attributes["acct"] = value
        try expectSame(.add(request))
    }

    @Test(arguments: [MatchLimit.one, .count(0), .count(2), .count(.max), .all])
    func `any limit`(limit: MatchLimit) throws {
        var request = FindRequest(query: ItemQuery(itemClass: .genericPassword))
        request.limit = limit
        try expectSame(.find(request))
    }

    @Test(arguments: [AuthenticationUI.allow, .fail, .skip])
    func `any choice of asking the person`(choice: AuthenticationUI) throws {
        var request = FindRequest(query: ItemQuery(itemClass: .genericPassword))
        request.authentication.ui = choice
        try expectSame(.find(request))
    }

    @Test(arguments: Accessibility.allCases)
    func `any accessibility, bare and with flags`(accessibility: Accessibility) throws {
        var request = AddRequest(itemClass: .certificate)
        request.accessibility = accessibility
        try expectSame(.add(request))
        request.accessControl = AccessControl(bare: accessibility)
        try expectSame(.add(request))
        request.accessibility = nil
        request.accessControl = try AccessControl(protection: accessibility.rawValue, flags: [])
        try expectSame(.add(request))
    }

    @Test func `an access control until reboot`() throws {
        var request = AddRequest(itemClass: .genericPassword)
        request.accessControl = try AccessControl(protection: "f", flags: [.biometryAny, .or, .applicationPassword])
        try expectSame(.add(request))
    }

    @Test func `a persistent reference of either form`() throws {
        for bytes in [Array("genp".utf8) + [UInt8](repeating: 5, count: 16), Array("genp\0\0\0\0\0\0\0\0".utf8)] {
            var query = ItemQuery(itemClass: .genericPassword)
            query.reference = PersistentReference(bytes)
            #expect(query.reference != nil)
            query.synchronizable = .any
            query.accessGroup = "group"
            query.filters[.sharingGroup] = .string("shared")
            try expectSame(.find(FindRequest(query: query)))
        }
    }

    @Test func `a host`() throws {
        var query = ItemQuery(itemClass: .internetPassword)
        query.hostOrSubdomain = "example.org"
        try expectSame(.find(FindRequest(query: query)))
    }

    @Test(arguments: [
        TrustPolicy.basicX509, .tls(isServer: true, name: nil), .tls(isServer: false, name: ""),
        .tls(isServer: true, name: "example.org"), .mail(address: nil), .mail(address: "a@example.org"), .codeSigning,
        .timeStamping, .revocation(needsPositiveAnswer: true), .revocation(needsPositiveAnswer: false),
        .unsupported("1.2.840"),
    ])
    func `any policy`(policy: TrustPolicy) throws {
        var query = ItemQuery(itemClass: .identity)
        query.certificate.policy = policy
        try expectSame(.find(FindRequest(query: query)))
    }

    @Test func `all that is asked of a certificate`() throws {
        var query = ItemQuery(itemClass: .certificate)
        query.certificate.issuers = [[0x31, 0], []]
        query.certificate.validOn = .now
        query.certificate.emailAddressIfPresent = "a@example.org"
        query.certificate.isTrusted = true
        try expectSame(.find(FindRequest(query: query)))
        query.certificate = CertificateFilter()
        query.certificate.issuers = []
        query.certificate.validOn = .at(-1.5)
        try expectSame(.find(FindRequest(query: query)))
    }

    @Test func `private keys of any kind, and all that they do`() throws {
        #expect(Samples.privateKeys.count == EnclaveKey.Kind.allCases.count)
        for algorithm in EnclaveKeyAlgorithm.allCases {
            var request = MakeKeyRequest()
            request.algorithm = algorithm
            request.accessGroup = "TEAM.group"
            request.accessControl = try AccessControl(protection: "aku", flags: [.privateKeyUsage, .userPresence])
            try expectSame(.makeKey(request))
        }
        let uses: [KeyUse] = [
            .signature(ofDigest: [UInt8](repeating: 1, count: 32)),
            .sharedSecret(with: [UInt8](repeating: 2, count: 65)),
            .messageSignature(of: [], context: []), .messageSignature(of: [3], context: [4, 5]),
            .decapsulation(of: [UInt8](repeating: 6, count: 1_568)),
        ]
        for key in Samples.privateKeys {
            for use in uses { try expectSame(.useKey(UseKeyRequest(key: key, use: use))) }
            let body = Response.Body.outcome(.success(OperationResult(.key(key))))
            try expectSame(body)
        }
    }

    @Test func `a key of another algorithm than was asked for, from an earlier version, is none`() throws {
        struct Earlier: KeychainService {
            func perform(
                _ operation: KeychainOperation,
                onBehalfOf program: String?
            ) throws(KeychainError) -> OperationResult {
                guard let key = Samples.privateKeys.first else { throw OperationResult.unexpected }
                return OperationResult(.key(key))
            }

            func performTogether(
                _ operations: [KeychainOperation],
                allOrNothing: Bool,
                onBehalfOf program: String?
            ) throws(KeychainError) -> [OperationOutcome] {
                throw OperationResult.unexpected
            }
        }
        var request = MakeKeyRequest()
        #expect(try Earlier().makeKey(request).kind == .software)
        request.algorithm = .mlkem768
        #expect(throws: KeychainError(.unimplemented, "")) { try Earlier().makeKey(request) }
    }

    @Test func `the other requests`() throws {
        let batch = Request.batch([.add(Samples.add()), .delete(Samples.delete()).explained])
        let transaction = Request.transaction([.delete(Samples.delete()), .add(Samples.add())])
        for request in [Request.identity, .status, .batch([]), batch, transaction] {
            #expect(try picture(arrived(request)) == picture(request))
        }
    }

    @Test func `the handshake`() throws {
        let hello = ServerMessage.hello(Hello(nonce: [UInt8](repeating: 4, count: 32), versions: 1...3))
        #expect(try picture(arrived(hello)) == picture(hello))
        let authentication = Authentication(proof: [UInt8](repeating: 4, count: 32), version: 2)
        let frame = try FrameCodec.encode(.authenticate(authentication))
        guard case .authenticate(authentication) = try FrameCodec.decodeClient(Array(frame.dropFirst(4))) else {
            Issue.record("the answer to hello did not arrive")
            return
        }
    }

    @Test(arguments: [ServiceIdentity.Kind.installed, .signed, .unsigned], [ServiceIdentity.Mode.session, .system])
    func `who the caller is`(kind: ServiceIdentity.Kind, mode: ServiceIdentity.Mode) throws {
        for own in [nil, "a", ""] as [String?] {
            let identity = ServiceIdentity(
                name: "n",
                groups: ["b", "a"],
                ownGroup: own,
                kind: kind,
                mode: mode,
                deficiencies: ["why"]
            )
            let welcome = ServerMessage.welcome(identity)
            #expect(try picture(arrived(welcome)) == picture(welcome))
            try expectSame(.identity(identity))
        }
    }

    @Test(arguments: KeychainError.Code.allCases)
    func `any error`(code: KeychainError.Code) throws {
        let error = KeychainError(code, "a sentence")
        try expectSame(.outcome(.failed(error)))
        #expect(try picture(arrived(.refusal(error))) == picture(ServerMessage.refusal(error)))
    }

    @Test func `the outcomes`() throws {
        try expectSame(.outcome(.items([])))
        try expectSame(.outcome(.items([Samples.identity, Samples.plain], explanation: ["a", "b"])), hasMore: true)
        try expectSame(.outcome(.count(0, explanation: ["because"])))
        try expectSame(.batch([.count(3), .items([Samples.plain]), .failed(KeychainError(.duplicateItem, "twice"))]))
        try expectSame(.batch([]))
    }

    @Test func `what the service says of itself`() throws {
        var counts = ServiceCounts()
        (counts.accepted, counts.refused, counts.rejected, counts.dropped) = (1, 2, 3, 4)
        (counts.requests, counts.operations, counts.failures) = (5, 6, 7)
        var status = ServiceStatus(version: "1", mode: .system, uptime: 0.5, connections: 3, counts: counts)
        try expectSame(.status(status))
        status.databaseVersion = 8
        status.room = KeychainRoom(
            items: KeychainRoom.Share(used: 9, quota: 10),
            bytes: KeychainRoom.Share(used: 11, quota: 12)
        )
        try expectSame(.status(status))
        // Their names never change: clients of other versions read them.
        #expect(
            status.numbers == [
                "chatelained_connections_accepted": 1, "chatelained_connections_refused": 2,
                "chatelained_connections_rejected": 3, "chatelained_connections_dropped": 4, "chatelained_requests": 5,
                "chatelained_operations": 6, "chatelained_failures": 7, "keychain_database_version": 8,
                "keychain_items": 9, "keychain_items_quota": 10, "keychain_bytes": 11, "keychain_bytes_quota": 12,
            ]
        )
    }

    @Test func `what a service counts is numbers that a program can print, and other numbers say nothing`() throws {
        func received(_ number: Double) throws -> ServiceStatus? {
            var frame = WireServerFrame()
            frame.response.status.mode = "system"
            frame.response.status.uptimeSeconds = number
            frame.response.status.metrics = ["chatelained_requests": number, "reads": number]
            guard case .response(let response) = try FrameCodec.decodeServer(frame.serializedBytes()),
                case .status(let told) = response.body
            else { return nil }
            return told
        }
        for number in [Double.nan, -Double.infinity, -1] {
            #expect(throws: KeychainError(.invalidParameter, "")) { try received(number) }
        }
        for number in [Double.infinity, .greatestFiniteMagnitude, 1e19, 7, 0] {
            let status = try #require(try received(number))
            #expect(Int(exactly: status.uptime) != nil)
            #expect(status.counts.requests == Int(min(number, 9_007_199_254_740_992)))
            #expect(status.counts.operations == 0 && status.room == nil)
        }
    }
}
