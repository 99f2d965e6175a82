/// How long something took, each time.
public struct Samples {
    public private(set) var microseconds: [Double] = []

    public init() {}

    /// Runs the body once for each element and keeps the time of each run.
    public mutating func measure<Element>(_ elements: [Element], _ body: (Element) throws -> Void) rethrows {
        let clock = ContinuousClock()
        for element in elements {
            let duration = try clock.measure { try body(element) }
            microseconds.append(duration / .microseconds(1))
        }
    }

    public mutating func append(microseconds time: Double) {
        microseconds.append(time)
    }

    public var median: Double { quantile(0.5) }

    public func quantile(_ fraction: Double) -> Double {
        guard !microseconds.isEmpty else { return .nan }
        let sorted = microseconds.sorted()
        return sorted[Int(Double(sorted.count - 1) * fraction)]
    }

    public var mean: Double { microseconds.reduce(0, +) / Double(microseconds.count) }
}

/// An operation and its floor, measured in turns so that whatever else the machine does hits both.
public struct Comparison {
    public var floor = Samples()
    public var operation = Samples()
    private var ratios = Samples.Ratios()

    public init() {}

    public mutating func round(
        floor measureFloor: (inout Samples) throws -> Void,
        operation measureOperation: (inout Samples) throws -> Void
    ) rethrows {
        var floor = Samples()
        var operation = Samples()
        try measureFloor(&floor)
        try measureOperation(&operation)
        ratios.append(operation.median / floor.median)
        self.floor.append(floor)
        self.operation.append(operation)
    }

    /// The median over the rounds of the ratio of the medians within a round.
    public var ratio: Double { ratios.median }
}

extension Samples {
    /// Numbers whose median is wanted, without a unit.
    public struct Ratios {
        private var values: [Double] = []

        public mutating func append(_ value: Double) { values.append(value) }

        public var median: Double { values.isEmpty ? .nan : values.sorted()[(values.count - 1) / 2] }
    }

    public mutating func append(_ other: Samples) {
        microseconds += other.microseconds
    }
}
