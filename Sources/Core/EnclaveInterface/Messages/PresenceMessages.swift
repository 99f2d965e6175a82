import KeychainModel

// MARK: - Questions, as bytes

extension MessageWriter {
    mutating func append(_ question: PresenceQuestion) throws(KeychainError) {
        try append(question.asker)
        append(UInt8(clamping: question.demand.alternatives.count))
        for factors in question.demand.alternatives.sorted(by: { $0.rawValue < $1.rawValue }) {
            append(factors.rawValue)
        }
        append(question.password.rawValue)
        try append(question.prompt)
        append((question.isRepeated ? 1 : 0) as UInt8)
        append(question.reuse.milliseconds)
        try append(question.scope)
    }

    mutating func append(_ scope: PresenceScope) throws(KeychainError) {
        guard scope.isSound else { throw Self.tooLarge }
        switch scope {
        case .items(let items):
            append(UInt8(1))
            let groups = Set(items.values.map { Array($0.utf8) }).sorted { $0.lexicographicallyPrecedes($1) }
            append(UInt8(clamping: groups.count))
            for group in groups { try append(short: group) }
            append(UInt16(clamping: items.count))
            let sorted = items.map { (uuid: $0.key.bytes, group: Array($0.value.utf8)) }
                .sorted { $0.uuid.lexicographicallyPrecedes($1.uuid) }
            for item in sorted {
                append(item.uuid)
                append(UInt8(clamping: groups.firstIndex(of: item.group) ?? 0))
            }
        case .newItem(let group):
            append(UInt8(2))
            try append(short: Array(group.utf8))
        case .context(let context):
            append(UInt8(3))
            append(context.bytes)
        case .ownersView: append(UInt8(4))
        }
    }

    private mutating func append(_ claim: AskerClaim) throws(KeychainError) {
        switch claim {
        case .named(let name, let isVerified):
            append((isVerified ? 1 : 0) as UInt8)
            try append(short: Array(name.utf8))
        case .vouched(let voucher, let name):
            append(UInt8(2))
            append(voucher.bytes)
            try append(short: Array(name.utf8))
        }
    }

    mutating func append(_ asker: AskerDescription) throws(KeychainError) {
        append(asker.standing.rawValue)
        try append(short: Array(asker.name.utf8))
        try append(short: Array(asker.path.utf8))
    }

    /// As a context is opened for them, or as a prompt names them.
    mutating func append(groups: [String]) throws(KeychainError) {
        guard groups.count <= PresenceScope.mostGroups else { throw Self.tooLarge }
        append(UInt8(clamping: groups.count))
        for group in groups { try append(short: Array(group.utf8)) }
    }

    mutating func append(_ program: VouchedProgram, by voucher: AskerVoucher) throws(KeychainError) {
        append(voucher.bytes)
        append(UInt32(bitPattern: program.pid))
        append((program.isInstalled ? 1 : 0) as UInt8)
        append(program.connection)
        try append(short: Array(program.path.utf8))
    }

    mutating func append(_ wishes: PromptWishes) throws(KeychainError) {
        try append(short: Array(wishes.reason.utf8))
        for title in [wishes.cancelTitle, wishes.fallbackTitle] {
            append((title == nil ? 0 : 1) as UInt8)
            if let title { try append(short: Array(title.utf8)) }
        }
        append((wishes.terminal == nil ? 0 : 1) as UInt8)
        guard let terminal = wishes.terminal else { return }
        for field in terminal.fields { try append(short: Array(field.utf8)) }
    }

    mutating func append(_ status: PresenceStatus) throws(KeychainError) {
        append(UInt8(clamping: status.all.count))
        for (factor, state) in status.all {
            append(factor.rawValue)
            append(state.obstacle?.rawValue ?? 0)
            append((state.enrolled == nil ? 0 : 1) as UInt8)
            if let set = state.enrolled { try append(short: set) }
        }
    }
}

extension MessageReader {
    mutating func question() throws(KeychainError) -> PresenceQuestion {
        let claim = try claim()
        let count = Int(try byte())
        var alternatives: [PresenceFactors] = []
        for _ in 0..<count {
            let factors = try factors()
            guard alternatives.last.map({ $0.rawValue < factors.rawValue }) ?? true else { throw Self.malformed }
            alternatives.append(factors)
        }
        guard let password = PasswordWish(rawValue: try byte()) else { throw Self.malformed }
        let wishes = try wishes()
        let isRepeated = try flags(1) != 0
        let reuse = UnlockReuse(milliseconds: try number())
        let scope = try scope()
        guard scope.isSound else { throw Self.malformed }
        return PresenceQuestion(
            of: claim,
            PresenceDemand(Set(alternatives)),
            password: password,
            prompt: wishes,
            for: scope,
            isRepeated: isRepeated,
            reuse: reuse
        )
    }

    mutating func scope() throws(KeychainError) -> PresenceScope {
        switch try byte() {
        case 1: .items(try items())
        case 2: .newItem(accessGroup: try string(most: PresenceScope.longestGroup))
        case 3: .context(try contextID())
        case 4: .ownersView
        default: throw Self.malformed
        }
    }

    /// The groups in the order of their bytes, each of which some item has; and the items in that of theirs.
    private mutating func items() throws(KeychainError) -> [ItemUUID: String] {
        let groups = try groups()
        var used: Set<Int> = []
        for (group, next) in zip(groups, groups.dropFirst())
        where !Array(group.utf8).lexicographicallyPrecedes(Array(next.utf8)) { throw Self.malformed }
        let count = Int(try number() as UInt16)
        guard count <= PresenceScope.mostItems else { throw Self.malformed }
        var items: [ItemUUID: String] = [:]
        var last: [UInt8] = []
        for _ in 0..<count {
            let item = try uuid()
            let index = Int(try byte())
            guard last.lexicographicallyPrecedes(item.bytes), groups.indices.contains(index) else {
                throw Self.malformed
            }
            last = item.bytes
            used.insert(index)
            items[item] = groups[index]
        }
        guard used.count == groups.count else { throw Self.malformed }
        return items
    }

    mutating func groups() throws(KeychainError) -> [String] {
        let count = Int(try byte())
        guard count <= PresenceScope.mostGroups else { throw Self.malformed }
        var groups: [String] = []
        for _ in 0..<count { groups.append(try string(most: PresenceScope.longestGroup)) }
        return groups
    }

    mutating func contextID() throws(KeychainError) -> PresenceContextID {
        guard let context = PresenceContextID(try take(PresenceContextID.size)) else { throw Self.malformed }
        return context
    }

    mutating func voucher() throws(KeychainError) -> AskerVoucher {
        guard let voucher = AskerVoucher(try take(AskerVoucher.size)) else { throw Self.malformed }
        return voucher
    }

    mutating func vouchedProgram() throws(KeychainError) -> VouchedProgram {
        let pid = Int32(bitPattern: try number())
        let isInstalled = try flags(1) != 0
        let connection: UInt64 = try number()
        let path = try string(most: Asker.longestName)
        return VouchedProgram(pid: pid, path: path, isInstalled: isInstalled, connection: connection)
    }

    private mutating func claim() throws(KeychainError) -> AskerClaim {
        switch try byte() {
        case 0: return .named(try string(most: Asker.longestName), isVerified: false)
        case 1: return .named(try string(most: Asker.longestName), isVerified: true)
        case 2:
            let voucher = try voucher()
            return .vouched(by: voucher, name: try string(most: Asker.longestName))
        default: throw Self.malformed
        }
    }

    private mutating func factors() throws(KeychainError) -> PresenceFactors {
        let factors = PresenceFactors(rawValue: try byte())
        guard PresenceFactors.all.isSuperset(of: factors) else { throw Self.malformed }
        return factors
    }

    mutating func asker() throws(KeychainError) -> AskerDescription {
        guard let standing = AskerDescription.Standing(rawValue: try byte()) else { throw Self.malformed }
        let name = try string(most: Asker.longestName)
        return AskerDescription(standing, name: name, path: try string(most: Asker.longestName))
    }

    mutating func wishes() throws(KeychainError) -> PromptWishes {
        var wishes = PromptWishes()
        wishes.reason = try string(most: PromptWishes.longestReason)
        if try flags(1) != 0 { wishes.cancelTitle = try string(most: PromptWishes.longestTitle) }
        if try flags(1) != 0 { wishes.fallbackTitle = try string(most: PromptWishes.longestTitle) }
        guard try flags(1) != 0 else { return wishes }
        var terminal = PromptTerminal()
        terminal.name = try string(most: PromptWishes.longestTerminalField)
        terminal.type = try string(most: PromptWishes.longestTerminalField)
        terminal.display = try string(most: PromptWishes.longestTerminalField)
        terminal.waylandDisplay = try string(most: PromptWishes.longestTerminalField)
        terminal.locale = try string(most: PromptWishes.longestTerminalField)
        wishes.terminal = terminal
        return wishes
    }

    private mutating func string(most: Int) throws(KeychainError) -> String {
        let bytes = try short()
        guard bytes.count <= most, let text = String(validating: bytes, as: UTF8.self) else { throw Self.malformed }
        return text
    }

    mutating func proof() throws(KeychainError) -> PresenceProof {
        guard let proof = PresenceProof(try take(PresenceProof.size)) else { throw Self.malformed }
        return proof
    }

    mutating func abilities() throws(KeychainError) -> PrompterAbilities {
        PrompterAbilities(rawValue: try flags(PrompterAbilities.all.rawValue))
    }

    mutating func presenceFailure() throws(KeychainError) -> PresenceFailure {
        guard let failure = PresenceFailure(rawValue: try byte()) else { throw Self.malformed }
        return failure
    }

    mutating func presenceStatus() throws(KeychainError) -> PresenceStatus {
        var factors: [PresenceFactors: PresenceStatus.Factor] = [:]
        var last: UInt8 = 0
        for _ in 0..<(try byte()) {
            let factor = try factor()
            guard last < factor.rawValue else { throw Self.malformed }
            last = factor.rawValue
            let obstacle = try obstacle()
            factors[factor] = PresenceStatus.Factor(obstacle: obstacle, enrolled: try flags(1) == 0 ? nil : short())
        }
        return PresenceStatus(factors)
    }

    /// A factor that a reader reads.
    mutating func readFactor() throws(KeychainError) -> PresenceFactors {
        let factor = try factor()
        guard factor != .passcode else { throw Self.malformed }
        return factor
    }

    mutating func factor() throws(KeychainError) -> PresenceFactors {
        guard let factor = PresenceFactors(singleKnown: try byte()) else { throw Self.malformed }
        return factor
    }

    mutating func optionalReaderHint() throws(KeychainError) -> ReaderHint? {
        let number = try byte()
        if number == 0 { return nil }
        guard let hint = ReaderHint(rawValue: number) else { throw Self.malformed }
        return hint
    }

    mutating func readerHint() throws(KeychainError) -> ReaderHint {
        guard let hint = ReaderHint(rawValue: try byte()) else { throw Self.malformed }
        return hint
    }

    mutating func readerState() throws(KeychainError) -> ReaderState {
        let obstacle = try obstacle()
        guard [nil, .noBiometry, .notEnrolled].contains(obstacle) else { throw Self.malformed }
        guard try flags(1) != 0 else { return ReaderState(obstacle: obstacle, set: nil) }
        guard let set = EnrolledSet(try take(EnrolledSet.size)) else { throw Self.malformed }
        return ReaderState(obstacle: obstacle, set: set)
    }

    private mutating func obstacle() throws(KeychainError) -> PresenceFailure? {
        let number = try byte()
        if number == 0 { return nil }
        guard let failure = PresenceFailure(rawValue: number) else { throw Self.malformed }
        return failure
    }
}

extension PromptTerminal {
    fileprivate var fields: [String] { [name, type, display, waylandDisplay, locale] }
}
