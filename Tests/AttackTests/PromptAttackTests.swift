import EnclaveInterface
import Foundation
import KeychainModel
import KeychainProtocol
import KeychainTestSupport
import Testing

/// A program of the victim's user that becomes another program for each question, so that no limit for a program ever counts it.
///
/// The service, its enclave and the agent are real ones; a script plays the person.
@Suite(
    .enabled(if: AttackedMachine.obstacle == nil, "needs root, namespaces, setpriv, nsenter and a C compiler"),
    .serialized
)
final class PromptAttackTests {
    private let machine: AttackedMachine
    private let speaker: Speaker
    private let person: ScriptedPinentry
    private let agent: RunningProgram
    /// What stores an item that demands its owner, and what reads it.
    private let guarded: String
    private let reading: String
    private let installed: String
    private static let passcode = "open sesame"

    init() throws {
        machine = try AttackedMachine(AttackSite.shared.get())
        speaker = try Speaker(machine)
        person = try ScriptedPinentry()
        var add = AddRequest(itemClass: .genericPassword)
        add.attributes["svce"] = .string("guarded")
        add.secrets[.valueData] = SecretBytes(Array("kept".utf8))
        add.accessControl = try AccessControl(protection: "ak", flags: .userPresence)
        guarded = try speaker.write(.operation(.add(add)))
        var query = ItemQuery(itemClass: .genericPassword)
        query.filters["svce"] = .string("guarded")
        var find = FindRequest(query: query)
        find.returns = [.data]
        reading = try speaker.write(.operation(.find(find)))
        installed = try speaker.installed("bank", groups: ["bank"])

        let chatelaine = try machine.plain("chatelaine")
        agent = try RunningProgram(
            machine.command([chatelaine, "agent", "--pinentry", person.path]),
            in: machine.home,
            until: nil
        )
        // The first item makes the keychain, whose passcode root sets.
        let stored = try speaker.send([guarded], by: [installed])
        let set = try machine.run(
            [chatelaine, "passcode", "set", "--stdin", "--uid", "\(AttackSite.user)"],
            as: nil,
            input: Self.passcode + "\n"
        )
        guard stored.first?.items == 0, set.status == 0 else { throw AttackFailure("\(stored) \(set.everything)") }
        let presence = try speaker.write(.presence)
        let isAttended = try eventually {
            guard case .presence(let status) = try speaker.send([presence], by: [installed]).first else { return false }
            return status[.passcode].obstacle == nil
        }
        guard isAttended else { throw AttackFailure("nobody asks: \(agent.text) \(machine.logText)") }
    }

    // MARK: - Asking

    /// What a copy does that was never there before: it stores an item of its own that demands the owner, and reads it.
    private func freshReader() throws -> RunningProgram {
        let words = try speaker.fresh() + ["send", guarded, reading]
        return try RunningProgram(speaker.command(words), in: machine.home, until: "asking\n")
    }

    /// What a fresh copy is told where nobody is asked.
    private func refusal() throws -> KeychainError.Code? {
        let answers = try speaker.send([guarded, reading], by: speaker.fresh())
        #expect(answers.first?.items == 0)
        return answers.last?.failure
    }

    private func theInstalledProgramAsks() throws -> RunningProgram {
        try RunningProgram(speaker.command([installed, "send", reading]), in: machine.home, until: "asking\n")
    }

    /// Answers for a question that is shown.
    private func isServed(_ asker: RunningProgram) throws -> Bool {
        person.answer(.secret(Self.passcode))
        guard asker.waitForEnd() else { return false }
        return try Speaker.answers(in: asker.text).last?.items == 1
    }

    /// Whether what was shown last is the installed program's question. Of its path the prompt has the beginning.
    private var showsTheInstalledProgram: Bool {
        person.log.last { $0.hasPrefix("SETDESC") }?.contains("The program “\(installed.prefix(20))") == true
    }

    // MARK: - Tests

    @Test
    func `fresh copies of a program have four questions open together, and an installed one's comes first (as root)`()
        throws
    {
        // The control: one of them is asked for, and answered.
        let first = try freshReader()
        #expect(person.waitForDialog(1))
        #expect(person.shown.contains("A program that is not installed wants to use your keychain"))
        #expect(try isServed(first))

        let open = try (0..<4).map { _ in try freshReader() }
        #expect(person.waitForDialog(2))
        for _ in 0..<6 { #expect(try refusal() == .interactionNotAllowed) }
        #expect(person.dialogs == 2)

        let bank = try theInstalledProgramAsks()
        // That of the copy which is shown is declined; the next one is the installed program's.
        person.answer(.no)
        #expect(person.waitForDialog(3))
        #expect(showsTheInstalledProgram)
        #expect(try isServed(bank))

        // The fourth no makes all of them wait, those that are made after it too.
        for number in 4...6 {
            #expect(person.waitForDialog(number))
            person.answer(.no)
        }
        for asker in open { #expect(asker.waitForEnd()) }
        let outcomes = try open.map { try Speaker.answers(in: $0.text).last?.failure }
        #expect(outcomes.allSatisfy { $0 == .userCanceled }, "\(outcomes)")
        for _ in 0..<4 { #expect(try refusal() == .interactionNotAllowed) }
        #expect(person.dialogs == 6)
        let again = try theInstalledProgramAsks()
        #expect(person.waitForDialog(7))
        #expect(showsTheInstalledProgram)
        #expect(try isServed(again))
    }

    @Test
    func
        `fresh copies that ask and go begin twenty-four prompts in a minute, and an installed program is asked for (as root)`()
        throws
    {
        let evaluation = try speaker.write(.evaluate(PresenceRequest(.owner)))
        let start = ContinuousClock.now
        var begun = 0
        while begun < 40 {
            let words = try speaker.fresh() + ["send", evaluation]
            let asker = try RunningProgram(speaker.command(words), in: machine.home, until: nil)
            guard eventually({ self.person.dialogs > begun || asker.text.hasSuffix("done\n") }) else { break }
            if asker.text.hasSuffix("done\n") {
                #expect(try Speaker.answers(in: asker.text).last?.failure == .interactionNotAllowed)
                break
            }
            begun += 1
            asker.stop()
            #expect(asker.waitForEnd())
        }
        // The control: so many were asked for.
        #expect(begun == 24)
        #expect(try refusal() == .interactionNotAllowed)
        #expect(person.allClose())
        let bank = try theInstalledProgramAsks()
        #expect(person.waitForDialog(begun + 1))
        #expect(showsTheInstalledProgram)
        #expect(try isServed(bank))
        // Or the first of them would count no more.
        #expect(ContinuousClock.now - start < .seconds(60))
    }
}
