import EnclaveInterface
import KeychainModel
import KeychainPrompting
import Testing

/// What the keychain says, as GnuPG's own pinentries show it.
@Suite struct PromptTests {
    private struct EmptyDesk: PromptDesk {
        func answer(_ id: ItemUUID, typed secret: SecretBytes) -> PromptAnswer { .over }
        func answer(_ id: ItemUUID, password: SecretBytes) -> PromptAnswer { .over }
        func decline(_ id: ItemUUID, because failure: PresenceFailure, of abilities: PrompterAbilities) {}
    }

    @Test(arguments: RealPinentryTests.Flavour.allCases)
    func `what the reader of fingers says is shown where nothing is typed`(_ flavour: RealPinentryTests.Flavour) throws
    {
        let terminal = try PseudoTerminal()
        let prompter = try PinentryPrompter(path: flavour.path, terminal: terminal.place, desk: { EmptyDesk() })
        let prompt = Prompt(
            question: ItemUUID(),
            wish: .notice,
            asker: AskerDescription(.installed, name: "org.example.diary", path: "/usr/bin/diary"),
            groups: ["TEAM.diary"],
            wishes: PromptWishes(),
            readable: .biometry,
            isRepeated: false,
            hint: .swipeTooShort
        )
        prompter.show(prompt)
        try terminal.wait(for: "Touch the fingerprint reader to allow it.")
        try terminal.wait(for: "That was too short. Swipe once more.")
        prompter.withdraw(prompt.question)
    }
}
