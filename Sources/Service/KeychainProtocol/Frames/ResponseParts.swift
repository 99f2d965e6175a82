import KeychainCircles
package import KeychainModel

extension FrameCodec {
    /// Bytes of items after which a response ends and the next begins.
    private static let partSize = 1 << 20

    /// Makes the frames of one response, one after the other, so that a long list is in memory once as items and never
    /// as bytes.
    ///
    /// A list comes in several parts with the same identifier; a client puts their items, or their outcomes, together
    /// in their order. An explanation comes with the last part. Of a batch, each outcome is whole in one part.
    ///
    /// - Parameters:
    ///   - hasMore: whether the body is itself a part of an answer, of which more follow.
    ///   - send: takes a whole frame. What it throws ends the response.
    /// - Throws: what `send` throws. What is too large for a frame becomes an outcome that says so; of a part, it is
    ///   thrown.
    package static func encodeInParts(
        _ body: Response.Body,
        id: UInt64,
        hasMore: Bool = false,
        send: ([UInt8]) throws(KeychainError) -> Void
    ) throws(KeychainError) {
        switch body {
        case .outcome(.success(let result)):
            try encode(result, id: id, hasMore: hasMore, send: send)
        case .batch(let outcomes):
            try encode(outcomes, id: id, send: send)
        case .restore(.report(let report)) where !report.items.isEmpty:
            try encode(report, id: id, send: send)
        case .circle(.versions(let versions)):
            try encode(versions, id: id, send: send)
        case .outcome, .identity, .status, .backup, .restore, .prompting, .presence, .circle, .question, .round:
            try send(try encode(.response(Response(id: id, hasMore: hasMore, body: body))))
        }
    }

    private static func encode(
        _ result: OperationResult,
        id: UInt64,
        hasMore: Bool,
        send: ([UInt8]) throws(KeychainError) -> Void
    ) throws(KeychainError) {
        guard case .items(let items) = result.answer else {
            return try send(try encode(.response(Response(id: id, hasMore: hasMore, body: .outcome(.success(result))))))
        }
        guard items.allSatisfy(\.fitsIntoFrame) else {
            // The sender of the end of the answer says so.
            guard !hasMore else { throw .itemTooLarge }
            return try send(try encode(.response(Response(id: id, body: .outcome(.failure(.itemTooLarge))))))
        }
        for part in Parts(items.map(\.approximateSize), limit: partSize) {
            let some = OperationResult(
                .items(Array(items[part.range])),
                explanation: part.isLast ? result.explanation : []
            )
            let response = Response(id: id, hasMore: hasMore || !part.isLast, body: .outcome(.success(some)))
            try send(try encode(.response(response)))
        }
    }

    private static func encode(
        _ report: RestoreReport,
        id: UInt64,
        send: ([UInt8]) throws(KeychainError) -> Void
    ) throws(KeychainError) {
        for part in Parts(report.items.map { 64 + $0.accessGroup.utf8.count + $0.title.utf8.count }, limit: partSize) {
            let items = Array(report.items[part.range])
            let body = RestoreStep.report(RestoreReport(origin: report.origin, counts: report.counts, items: items))
            try send(try encode(.response(Response(id: id, hasMore: !part.isLast, body: .restore(body)))))
        }
    }

    private static func encode(
        _ versions: [EarlierVersion],
        id: UInt64,
        send: ([UInt8]) throws(KeychainError) -> Void
    ) throws(KeychainError) {
        for part in Parts(versions.map { 64 + $0.accessGroup.utf8.count + $0.title.utf8.count }, limit: partSize) {
            let body = Response.Body.circle(.versions(Array(versions[part.range])))
            try send(try encode(.response(Response(id: id, hasMore: !part.isLast, body: body))))
        }
    }

    private static func encode(
        _ outcomes: [OperationOutcome],
        id: UInt64,
        send: ([UInt8]) throws(KeychainError) -> Void
    ) throws(KeychainError) {
        let outcomes = outcomes.map(\.fittingIntoFrame)
        for part in Parts(outcomes.map(\.approximateSize), limit: partSize) {
            let body = Response.Body.batch(Array(outcomes[part.range]))
            try send(try encode(.response(Response(id: id, hasMore: !part.isLast, body: body))))
        }
    }

    /// Neighbours that go together, up to the limit; what is larger goes alone. There is at least one part.
    private struct Parts: Sequence, IteratorProtocol {
        private let sizes: [Int]
        private let limit: Int
        private var start = 0
        private var isDone = false

        init(_ sizes: [Int], limit: Int) {
            self.sizes = sizes
            self.limit = limit
        }

        mutating func next() -> (range: Range<Int>, isLast: Bool)? {
            guard !isDone else { return nil }
            var end = start
            var size = 0
            while end < sizes.count, end == start || size + sizes[end] <= limit {
                size += sizes[end]
                end += 1
            }
            defer { start = end }
            isDone = end == sizes.count
            return (start..<end, isDone)
        }
    }
}

extension FoundItem {
    /// How many bytes it takes in a message, with room for tags and lengths.
    fileprivate var approximateSize: Int {
        let attributes = attributes.entries.reduce(0) { $0 + $1.value.byteCount + 32 }
        let secrets = secrets.values.reduce(0) { $0 + $1.count + 32 }
        return 128 + attributes + secrets + (object?.count ?? 0) + (certificate?.data?.count ?? 0)
            + (certificate?.tokenID?.byteCount ?? 0)
    }

    fileprivate var fitsIntoFrame: Bool { approximateSize < Frame.largestResponse - 4096 }
}

extension OperationOutcome {
    fileprivate var approximateSize: Int {
        switch self {
        case .failure(let error): 64 + error.message.utf8.count
        case .success(let result): result.approximateSize
        }
    }

    fileprivate var fittingIntoFrame: OperationOutcome {
        approximateSize < Frame.largestResponse - 4096 ? self : .failure(.itemTooLarge)
    }
}

extension OperationResult {
    fileprivate var approximateSize: Int {
        let size =
            switch answer {
            case .key, .secret: 4_096
            case .items(let items): items.reduce(64) { $0 + $1.approximateSize }
            case .count: 64
            }
        return explanation.reduce(size) { $0 + $1.utf8.count + 8 }
    }
}

extension KeychainError {
    fileprivate static var itemTooLarge: KeychainError {
        KeychainError(.dataTooLarge, "what was found is larger than a response can be; ask for less at once")
    }
}
