import Foundation
import KeychainMessages
import KeychainModel
import KeychainProtocol
import SwiftProtobuf
import Testing

@Suite("A client that speaks the wire itself gets no request past the parser's rules")
struct HostileRequestTests {
    /// The error that the service would answer with, or nil for a request that it would carry out.
    private func refusal(_ build: (inout WireOperation) -> Void) throws -> KeychainError.Code? {
        var frame = WireClientFrame()
        frame.request.id = 1
        build(&frame.request.operation)
        guard case .request(1, let result) = try FrameCodec.decodeClient(frame.serializedBytes()) else { return nil }
        do {
            _ = try result.get()
            return nil
        } catch {
            return error.code
        }
    }

    private func add(_ itemClass: WireItemClass = .genericPassword, _ build: (inout WireAdd) -> Void) throws
        -> KeychainError.Code?
    {
        try refusal {
            $0.add.itemClass = itemClass
            build(&$0.add)
        }
    }

    private func find(_ itemClass: WireItemClass = .genericPassword, _ build: (inout WireFind) -> Void) throws
        -> KeychainError.Code?
    {
        try refusal {
            $0.find.query.itemClass = itemClass
            build(&$0.find)
        }
    }

    private func update(_ itemClass: WireItemClass = .genericPassword, _ build: (inout WireUpdate) -> Void) throws
        -> KeychainError.Code?
    {
        try refusal {
            $0.update.query.itemClass = itemClass
            build(&$0.update)
        }
    }

    private func attribute(_ key: AttributeKey, _ value: AttributeValue) -> WireAttribute {
        var attribute = WireAttribute()
        attribute.key = key.rawValue
        switch value {
        case .string(let string): attribute.value.string = string
        case .data(let bytes): attribute.value.data = Data(bytes)
        case .integer(let number): attribute.value.integer = number
        case .real(let number): attribute.value.real = number
        case .date(let seconds): attribute.value.date = seconds
        }
        return attribute
    }

    @Test func `what is as it should be is taken`() throws {
        #expect(try add { _ in } == nil)
        #expect(try find { _ in } == nil)
        #expect(try update { _ in } == nil)
        #expect(try refusal { $0.delete.query.itemClass = .key } == nil)
    }

    @Test func `a private key of an algorithm of later versions, and one that is asked for something unknown`() throws {
        #expect(try refusal { $0.makeKey = WireMakeKey() } == nil)
        #expect(try refusal { $0.makeKey.algorithm = .UNRECOGNIZED(5) } == .unimplemented)
        let key = try #require(Samples.privateKeys.first)
        #expect(try refusal { $0.useKey.key = Data(key.bytes) } == .invalidParameter)
        #expect(try refusal { $0.useKey.ciphertext = Data(count: 1_088) } == .undecodable)
    }

    @Test func `what is too long for a private key is still too long when it has arrived`() throws {
        func arrived(_ build: (inout WireUseKey) -> Void) throws -> KeyUse {
            var frame = WireClientFrame()
            frame.request.id = 1
            frame.request.operation.useKey.key = Data(try #require(Samples.privateKeys.first).bytes)
            build(&frame.request.operation.useKey)
            guard case .request(1, let result) = try FrameCodec.decodeClient(frame.serializedBytes()),
                case .useKey(let request) = try result.get().action
            else { throw KeychainError(.internalError, "no request arrived") }
            return request.use
        }
        let message = try arrived { $0.message.content = Data(count: 10 << 20) }
        #expect(throws: KeychainError(.dataTooLarge, "")) { try message.require(of: .mldsa65) }
        let others = try [
            arrived { $0.message.context = Data(count: 256) }, arrived { $0.ciphertext = Data(count: 1 << 20) },
            arrived { $0.digest = Data(count: 33) }, arrived { $0.point = Data(count: 66) },
        ]
        for use in others {
            #expect(throws: KeychainError(.invalidParameter, "")) { try use.requireSize() }
        }
    }

    @Test func `a class that does not exist`() throws {
        #expect(try add(.unspecified) { _ in } == .noSuchClass)
        #expect(try find(.UNRECOGNIZED(77)) { _ in } == .noSuchClass)
        #expect(try refusal { $0.delete = WireDelete() } == .noSuchClass)
    }

    @Test func `an attribute of another class, or of none`() throws {
        #expect(try add { $0.attributes = [attribute("srvr", .string("x"))] } == .noSuchAttribute)
        #expect(try add { $0.attributes = [attribute("UUID", .data([]))] } == .noSuchAttribute)
        #expect(try find { $0.query.filters = [attribute("clip", .integer(1))] } == .noSuchAttribute)
        #expect(try add { $0.attributes = [WireAttribute()] } == .noSuchAttribute)
        #expect(try add { $0.secrets = [attribute("bin0", .data([1]))] } == .noSuchAttribute)
    }

    @Test(arguments: ["agrp", "pdmn", "sync", "tomb", "sha1", "accc"] as [AttributeKey])
    func `an attribute that has a place of its own`(key: AttributeKey) throws {
        for value in [AttributeValue.string("ak"), .integer(1), .data([UInt8](repeating: 0, count: 20))] {
            let attribute = attribute(key, value)
            #expect(try add { $0.attributes = [attribute] } == .invalidParameter)
            #expect(try find { $0.query.filters = [attribute] } == .invalidParameter)
            #expect(try update { $0.attributes = [attribute] } == .invalidParameter)
        }
    }

    @Test func `a secret attribute among the others, and another among the secret ones`() throws {
        let notes = attribute("binn", .data([1]))
        #expect(try add(.internetPassword) { $0.attributes = [notes] } == .invalidParameter)
        #expect(try find(.internetPassword) { $0.query.filters = [notes] } == .invalidParameter)
        #expect(try add { $0.secrets = [attribute("acct", .data([1]))] } == .invalidParameter)
        let digest = attribute("sha1", .data([UInt8](repeating: 0, count: 20)))
        #expect(try add { $0.secrets = [digest] } == .invalidParameter)
        #expect(try update { $0.secrets = [digest] } == .invalidParameter)
    }

    @Test func `what an update cannot set`() throws {
        for (key, value) in [
            ("ggrp", .string("x")), ("musr", .data([UInt8](repeating: 0, count: 16))), ("mdat", .date(1)),
        ] as [(AttributeKey, AttributeValue)] {
            #expect(try update { $0.attributes = [attribute(key, value)] } == .invalidParameter)
        }
    }

    @Test func `a value of a kind that the attribute does not take`() throws {
        for (key, value) in [
            ("cdat", .integer(1)), ("vwht", .data([0xFF])), ("acct", .date(0)), ("musr", .data([1, 2])),
            ("crtr", .data([1])), ("crtr", .date(0)),
        ] as [(AttributeKey, AttributeValue)] {
            #expect(try add { $0.attributes = [attribute(key, value)] } == .invalidParameter)
            #expect(try find { $0.query.filters = [attribute(key, value)] } == .invalidParameter)
        }
        var empty = WireAttribute()
        empty.key = AttributeKey("acct").rawValue
        #expect(try add { $0.attributes = [empty] } == .invalidParameter)
        #expect(try add { $0.secrets = [attribute(.valueData, .string("text"))] } == .invalidParameter)
    }

    @Test func `values are brought into their form`() throws {
        var frame = WireClientFrame()
        frame.request.operation.add.itemClass = .internetPassword
        frame.request.operation.add.attributes = [attribute("port", .string("443"))]
        guard
            case .request(_, let result) = try FrameCodec.decodeClient(frame.serializedBytes()),
            case .add(let request) = try result.get().action
        else {
            Issue.record("the add was not taken")
            return
        }
        #expect(request.attributes["port"] == .integer(443))
    }

    @Test func `an attribute twice`() throws {
        let twice = [attribute("acct", .string("a")), attribute("acct", .string("b"))]
        #expect(try add { $0.attributes = twice } == .invalidParameter)
        let values = [attribute(.valueData, .data([])), attribute(.valueData, .data([]))]
        #expect(try add { $0.secrets = values } == .invalidParameter)
    }

    @Test func `too large a value, attribute or group`() throws {
        let mebibyte = [UInt8](repeating: 97, count: (1 << 20) + 1)
        let text = String(decoding: mebibyte, as: UTF8.self)
        #expect(try add { $0.attributes = [attribute("acct", .data(mebibyte))] } == .dataTooLarge)
        #expect(try add { $0.accessGroup = text } == .dataTooLarge)
        #expect(try find { $0.query.accessGroup = text } == .dataTooLarge)
        #expect(try update { $0.accessGroup = text } == .dataTooLarge)
        let value = [UInt8](repeating: 97, count: (16 << 20) + 1)
        #expect(try add { $0.secrets = [attribute(.valueData, .data(value))] } == .dataTooLarge)
        #expect(try update { $0.secrets = [attribute(.valueData, .data(value))] } == .dataTooLarge)
    }

    @Test func `a protection that does not exist, or contradicts itself`() throws {
        #expect(try add { $0.accessibility = "zz" } == .invalidParameter)
        #expect(try find { $0.query.accessibility = "f" } == .invalidParameter)
        #expect(try add { $0.accessControl.protection = "zz" } == .invalidParameter)
        #expect(try add { $0.accessControl.protection = "f" } == .invalidParameter)
        #expect(try add { $0.accessControl = WireAccessControl() } == .invalidParameter)
        let flags = UInt64(AccessControlFlags([.or, .and]).rawValue)
        #expect(
            try add {
                $0.accessControl.protection = "ak"
                $0.accessControl.flags = flags
            } == .invalidParameter
        )
        #expect(
            try update {
                $0.accessibility = "ak"
                $0.accessControl.protection = "ck"
            } == .invalidParameter
        )
    }

    @Test func `a persistent reference that is none, of another class, or not alone`() throws {
        let reference = PersistentReference(itemClass: .genericPassword, uuid: ItemUUID())
        #expect(try find { $0.query.reference = Data([1, 2, 3]) } == .invalidParameter)
        #expect(try find { $0.query.reference = Data() } == .invalidParameter)
        #expect(try find(.key) { $0.query.reference = Data(reference.bytes) } == .noSuchClass)
        for spoil in [
            { $0.filters = [attribute("acct", .string("a"))] }, { $0.accessibility = "ak" },
            { $0.sha1 = Data(repeating: 0, count: 20) }, { $0.isSynchronizable = false },
        ] as [(inout WireQuery) -> Void] {
            #expect(
                try find {
                    $0.query.reference = Data(reference.bytes)
                    spoil(&$0.query)
                } == .invalidParameter
            )
        }
    }

    @Test func `what only searches ask is not passed over by changes and deletions`() throws {
        #expect(try update(.internetPassword) { $0.query.hostOrSubdomain = "x" } == .invalidParameter)
        #expect(try update(.certificate) { $0.query.certificate.isTrusted = true } == .invalidParameter)
        #expect(
            try refusal {
                $0.delete.query.itemClass = .certificate
                $0.delete.query.certificate.validNow = true
            } == .invalidParameter
        )
    }

    @Test func `a filter that the class does not have`() throws {
        #expect(try find { $0.query.hostOrSubdomain = "x" } == .unimplemented)
        #expect(try find(.key) { $0.query.certificate.isTrusted = true } == .unimplemented)
        #expect(try find(.certificate) { $0.query.certificate.issuers = [Data()] } == .invalidParameter)
        #expect(try find(.certificate) { $0.query.certificate.validAt = .nan } == .invalidParameter)
        #expect(try find(.certificate) { $0.query.certificate.validNow = false } == .invalidParameter)
        #expect(try find(.certificate) { $0.query.certificate.policy = WireTrustPolicy() } == .invalidParameter)
        #expect(try find(.certificate) { $0.query.certificate.policy.codeSigning = false } == .invalidParameter)
        #expect(try find { $0.query.sha1 = Data([1]) } == .invalidParameter)
        #expect(try find { $0.authentication.ui = .UNRECOGNIZED(9) } == .invalidParameter)
    }

    @Test func `an object of a key that has none`() throws {
        #expect(
            try add(.key) {
                $0.attributes = [attribute("kcls", .integer(2))]
                $0.returns.reference = true
            } == .unimplemented
        )
    }

    @Test func `a request or an operation that does not exist`() throws {
        #expect(try refusal { $0 = WireOperation() } == .unimplemented)
        var frame = WireClientFrame()
        frame.request.id = 1
        guard case .request(1, .failure(let error)) = try FrameCodec.decodeClient(frame.serializedBytes()) else {
            Issue.record("an empty request was taken")
            return
        }
        #expect(error.code == .unimplemented)
    }

    @Test func `a request on behalf of another program that is no operation`() throws {
        var frame = WireClientFrame()
        frame.request.onBehalfOf = "/usr/bin/other"
        for body in [.watch(.init()), .identity(.init()), .evaluate(.init()), .rotate(.init())]
            as [WireRequest.OneOf_Body]
        {
            frame.request.body = body
            guard case .request(_, .failure(let error)) = try FrameCodec.decodeClient(frame.serializedBytes()) else {
                Issue.record("\(body) was taken")
                continue
            }
            #expect(error.code == .invalidParameter)
        }
    }

    @Test func `a batch of too many operations, or with a bad one`() throws {
        var frame = WireClientFrame()
        var operation = WireOperation()
        operation.delete.query.itemClass = .key
        frame.request.batch.operations = .init(repeating: operation, count: Request.mostOperations + 1)
        guard case .request(_, .failure(let error)) = try FrameCodec.decodeClient(frame.serializedBytes()) else {
            Issue.record("a batch of too many operations was taken")
            return
        }
        #expect(error.code == .dataTooLarge)
        frame.request.batch.operations = [operation, WireOperation()]
        guard case .request(_, .failure) = try FrameCodec.decodeClient(frame.serializedBytes()) else {
            Issue.record("a batch with an empty operation was taken")
            return
        }
    }
}

extension Request {
    /// Of its operation, if it is one.
    var action: KeychainOperation.Action? {
        if case .operation(let operation) = self { operation.action } else { nil }
    }
}
