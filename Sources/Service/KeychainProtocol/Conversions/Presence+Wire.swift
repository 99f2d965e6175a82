import Foundation
import KeychainMessages
import KeychainModel

extension WireItemAuthentication {
    init(_ authentication: ItemAuthentication) {
        self.init()
        ui = WireAuthenticationUI(authentication.ui)
        if let password = authentication.applicationPassword { applicationPassword = password.data }
        if authentication.prompt != PromptWishes() { prompt = WirePrompt(authentication.prompt) }
        usesContext = authentication.usesContext
        reuseMilliseconds = authentication.reuse.milliseconds
        isOwners = authentication.isOwners
    }
}

extension ItemAuthentication {
    init(_ wire: WireItemAuthentication) throws(KeychainError) {
        self.init()
        ui = try AuthenticationUI(wire.ui)
        applicationPassword = wire.hasApplicationPassword ? SecretBytes(wire.applicationPassword) : nil
        prompt = PromptWishes(wire.prompt)
        usesContext = wire.usesContext
        isOwners = wire.isOwners
        reuse = UnlockReuse(milliseconds: wire.reuseMilliseconds)
    }
}

extension WirePrompt {
    init(_ wishes: PromptWishes) {
        self.init()
        reason = wishes.reason
        if let title = wishes.cancelTitle { cancelTitle = title }
        if let title = wishes.fallbackTitle { fallbackTitle = title }
        guard let terminal = wishes.terminal else { return }
        self.terminal.name = terminal.name
        self.terminal.type = terminal.type
        self.terminal.display = terminal.display
        self.terminal.waylandDisplay = terminal.waylandDisplay
        self.terminal.locale = terminal.locale
    }
}

extension PromptWishes {
    init(_ wire: WirePrompt) {
        self.init()
        reason = wire.reason
        cancelTitle = wire.hasCancelTitle ? wire.cancelTitle : nil
        fallbackTitle = wire.hasFallbackTitle ? wire.fallbackTitle : nil
        guard wire.hasTerminal else { return }
        var terminal = PromptTerminal()
        terminal.name = wire.terminal.name
        terminal.type = wire.terminal.type
        terminal.display = wire.terminal.display
        terminal.waylandDisplay = wire.terminal.waylandDisplay
        terminal.locale = wire.terminal.locale
        self.terminal = terminal
    }
}

extension WireEvaluate {
    init(_ request: PresenceRequest) {
        self.init()
        alternatives = request.demand.bits
        asksPassword = request.asksPassword
        prompt = WirePrompt(request.prompt)
        reuseMilliseconds = request.reuse.milliseconds
        opensView = request.opensView
    }
}

extension PresenceRequest {
    /// - Throws: `invalidParameter` for a demand that is unknown here.
    init(_ wire: WireEvaluate) throws(KeychainError) {
        guard let demand = PresenceDemand(bits: wire.alternatives) else {
            throw KeychainError(.invalidParameter, "what is to be proved is unknown here")
        }
        self.init(demand)
        asksPassword = wire.asksPassword
        prompt = PromptWishes(wire.prompt)
        reuse = UnlockReuse(milliseconds: wire.reuseMilliseconds)
        opensView = wire.opensView
    }
}

extension WirePresenceStatus {
    init(_ status: PresenceStatus) {
        self.init()
        factors = status.all.map { WireFactorState($0.factor, $0.state) }
        // Programs that were linked with a library before the factors' list read these.
        passcode = status[.passcode].obstacle.map(WirePresenceFailure.init) ?? .unspecified
        biometry = status[.biometry].obstacle.map(WirePresenceFailure.init) ?? .unspecified
        if let set = status[.biometry].enrolled { biometrySet = Data(set) }
    }
}

extension PresenceStatus {
    /// Factors that are unknown here are left out.
    init(_ wire: WirePresenceStatus) {
        guard wire.factors.isEmpty else {
            self.init(
                Dictionary(
                    wire.factors.compactMap { state in
                        PresenceFactors(singleKnown: state.factor).map { ($0, Factor(state)) }
                    },
                    uniquingKeysWith: { first, _ in first }
                )
            )
            return
        }
        // A service before the factors' list.
        self.init(
            passcode: PresenceFailure(wire.passcode),
            biometry: PresenceFailure(wire.biometry),
            biometrySet: wire.hasBiometrySet ? Array(wire.biometrySet) : nil
        )
    }
}

extension WireFactorState {
    fileprivate init(_ factor: PresenceFactors, _ state: PresenceStatus.Factor) {
        self.init()
        self.factor = UInt32(factor.rawValue)
        obstacle = state.obstacle.map(WirePresenceFailure.init) ?? .unspecified
        if let set = state.enrolled { enrolled = Data(set) }
    }
}

extension PresenceStatus.Factor {
    fileprivate init(_ wire: WireFactorState) {
        self.init(obstacle: PresenceFailure(wire.obstacle), enrolled: wire.hasEnrolled ? Array(wire.enrolled) : nil)
    }
}

extension WirePresenceFailure {
    init(_ failure: PresenceFailure) {
        self = WirePresenceFailure(rawValue: Int(failure.rawValue)) ?? .unspecified
    }
}

extension PresenceFailure {
    /// Nil for none. One that is unknown here is the person's failure.
    init?(_ wire: WirePresenceFailure) {
        guard wire != .unspecified else { return nil }
        self = UInt8(exactly: wire.rawValue).flatMap(PresenceFailure.init(rawValue:)) ?? .failed
    }
}
