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
    }
}

extension ItemAuthentication {
    init(_ wire: WireItemAuthentication) throws(KeychainError) {
        self.init()
        ui = try AuthenticationUI(wire.ui)
        applicationPassword = wire.hasApplicationPassword ? SecretBytes(wire.applicationPassword) : nil
        prompt = PromptWishes(wire.prompt)
        usesContext = wire.usesContext
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
        alternatives = request.demand.alternatives.reduce(0) { $0 | 1 << UInt32($1.rawValue) }
        asksPassword = request.asksPassword
        prompt = WirePrompt(request.prompt)
        reuseMilliseconds = request.reuse.milliseconds
    }
}

extension PresenceRequest {
    /// - Throws: `invalidParameter` for a demand that is unknown here.
    init(_ wire: WireEvaluate) throws(KeychainError) {
        guard wire.alternatives < 1 << 4 else {
            throw KeychainError(.invalidParameter, "what is to be proved is unknown here")
        }
        let all = (UInt8(0)..<4).filter { wire.alternatives & 1 << UInt32($0) != 0 }
        self.init(PresenceDemand(Set(all.map(PresenceFactors.init(rawValue:)))))
        asksPassword = wire.asksPassword
        prompt = PromptWishes(wire.prompt)
        reuse = UnlockReuse(milliseconds: wire.reuseMilliseconds)
    }
}

extension WirePresenceStatus {
    init(_ status: PresenceStatus) {
        self.init()
        passcode = status.passcode.map(WirePresenceFailure.init) ?? .unspecified
        biometry = status.biometry.map(WirePresenceFailure.init) ?? .unspecified
        if let set = status.biometrySet { biometrySet = Data(set) }
    }
}

extension PresenceStatus {
    init(_ wire: WirePresenceStatus) {
        self.init(
            passcode: PresenceFailure(wire.passcode),
            biometry: PresenceFailure(wire.biometry),
            biometrySet: wire.hasBiometrySet ? Array(wire.biometrySet) : nil
        )
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
