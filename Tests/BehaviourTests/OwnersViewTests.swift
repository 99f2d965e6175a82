import EnclaveInterface
import Foundation
import KeychainClient
import KeychainModel
import KeychainTestSupport
import Testing

/// What the owner of a keychain sees and does by way of a program with the items of other programs.
@Suite("The owner's view", .timeLimit(.minutes(10)))
struct OwnersViewTests {
    /// A program's keychain with an attended owner, in which there are items of another program.
    private struct Site {
        let attended: AttendedKeychain
        let program: any PresenceKeychain

        var person: ScriptedPinentry { attended.person }

        init(_ transport: Transport, others: [String] = ["Bank"]) throws {
            attended = try AttendedKeychain(transport)
            program = try #require(attended.fixture.connection(groups: ["test.default"]) as? any PresenceKeychain)
            for label in others { try addOthers(label) }
        }

        private func addOthers(_ label: String) throws {
            guard let address = attended.fixture.address else {
                var request = AddRequest(itemClass: .genericPassword)
                request.attributes[.label] = .string(label)
                request.attributes[.account] = .string(label)
                request.secrets[.valueData] = SecretBytes(Array("secret of \(label)".utf8))
                _ = try attended.fixture.connection(groups: ["other"]).add(request)
                return
            }
            // A service knows programs by what they are.
            let finished = try FinishedProgram(
                [
                    ServiceProcess.program("security"), "add-generic-password", "-s", label, "-a", label, "-l", label,
                    "-w", "secret of \(label)",
                ],
                in: FileManager.default.temporaryDirectory.path,
                environment: ["CHATELAINE_KEYCHAIN": address, "PATH": "/usr/bin:/bin"]
            )
            try #require(finished.status == 0, "\(finished.errors)")
        }

        func query(_ label: String? = nil) -> ItemQuery {
            var query = ItemQuery(itemClass: .genericPassword)
            if let label { query.filters[.label] = .string(label) }
            return query
        }

        /// A context in which the owner has opened a view.
        func view() throws -> any PresenceContext {
            let context = try program.makeContext()
            person.answer(.secret("open sesame"))
            try context.evaluate(.ownersView)
            return context
        }

        func authentication(_ context: (any PresenceContext)?, mayAsk: Bool = false) -> ItemAuthentication {
            var authentication = ItemAuthentication()
            authentication.context = context
            authentication.isOwners = true
            authentication.ui = mayAsk ? .allow : .fail
            return authentication
        }

        func labels(_ context: (any PresenceContext)?) throws(KeychainError) -> [String] {
            var request = FindRequest(query: query())
            request.limit = .all
            request.returns = .attributes
            request.authentication = authentication(context)
            return try program.find(request).compactMap { item in
                if case .string(let label) = item.attributes[.label] { label } else { nil }
            }
        }

        func secret(
            of label: String,
            _ context: any PresenceContext,
            saying reason: String = "",
            mayAsk: Bool = true
        ) throws(KeychainError) -> String? {
            var request = FindRequest(query: query(label))
            request.returns = .data
            request.authentication = authentication(context, mayAsk: mayAsk)
            request.authentication.prompt.reason = reason
            return try program.find(request).first?.secrets[.valueData].map(\.text)
        }

        func delete(
            _ query: ItemQuery,
            _ context: (any PresenceContext)?,
            mayAsk: Bool = true
        ) throws(KeychainError) -> Int {
            var request = DeleteRequest(query: query)
            request.authentication = authentication(context, mayAsk: mayAsk)
            return try program.delete(request)
        }
    }

    private func code(_ body: () throws -> Void) -> KeychainError.Code? {
        do {
            try body()
            return nil
        } catch {
            return (error as? KeychainError)?.code
        }
    }

    @Test(arguments: Transport.allCases)
    func `a program sees other programs' items once their owner has opened a view, in that context alone`(
        transport: Transport
    ) throws {
        let site = try Site(transport)
        #expect(try site.program.find(FindRequest(query: site.query("Bank"))).isEmpty)
        let (bare, other) = (try site.program.makeContext(), try site.program.makeContext())
        for context in [nil, bare, other] as [(any PresenceContext)?] {
            #expect(code { _ = try site.labels(context) } == .interactionNotAllowed)
        }
        #expect(site.person.dialogs == 0)

        site.person.answer(.no)
        #expect(code { try bare.evaluate(.ownersView) } == .userCanceled)
        #expect(code { _ = try site.labels(bare) } == .interactionNotAllowed)

        let view = try site.view()
        #expect(site.person.shown.contains("It wants to see what is in the whole keychain for ten minutes"))
        #expect(try site.labels(view) == ["Bank"])
        #expect(code { _ = try site.labels(other) } == .interactionNotAllowed)
        #expect(code { _ = try site.labels(nil) } == .interactionNotAllowed)
        // It sees its own alone without the view, as before.
        #expect(try site.program.find(FindRequest(query: site.query("Bank"))).isEmpty)
        view.invalidate()
        #expect(code { _ = try site.labels(view) } != nil)
        #expect(site.person.dialogs == 2)
    }

    @Test(arguments: Transport.allCases)
    func `a presence that was proved for something else is no view`(transport: Transport) throws {
        let site = try Site(transport)
        let context = try site.program.makeContext()
        site.person.answer(.secret("open sesame"))
        try context.evaluate(PresenceRequest(.owner))
        #expect(code { _ = try site.labels(context) } == .interactionNotAllowed)
        #expect(code { _ = try site.delete(site.query("Bank"), context) } == .interactionNotAllowed)
        // What a program says that it demands does not count for a view.
        var lenient = PresenceRequest(.nothing)
        lenient.opensView = true
        let dialogs = site.person.dialogs
        site.person.answer(.no)
        #expect(code { try context.evaluate(lenient) } == .userCanceled)
        #expect(site.person.dialogs == dialogs + 1)
        #expect(code { _ = try site.labels(context) } == .interactionNotAllowed)
    }

    @Test(arguments: Transport.allCases)
    func `a secret in a view takes the owner's yes to that very item, each time, in words that are not the program's`(
        transport: Transport
    ) throws {
        let site = try Site(transport, others: ["Bank", "Mail"])
        let view = try site.view()
        #expect(code { _ = try site.secret(of: "Bank", view, mayAsk: false) } == .interactionNotAllowed)
        #expect(site.person.dialogs == 1)
        site.person.answer(.no)
        #expect(code { _ = try site.secret(of: "Bank", view) } == .userCanceled)
        site.person.answer(.secret("open sesame"))
        #expect(try site.secret(of: "Bank", view, saying: "Play a game") == "secret of Bank")
        #expect(site.person.shown.contains("Show the secret of 'Bank, Bank'"))
        #expect(!site.person.shown.contains("Play a game"))
        for label in ["Bank", "Mail"] {
            #expect(code { _ = try site.secret(of: label, view, mayAsk: false) } == .interactionNotAllowed, "\(label)")
        }
        // The same for what only compares with a secret.
        var request = FindRequest(query: site.query("Mail"))
        request.query.sha1 = [UInt8](repeating: 0, count: 20)
        request.authentication = site.authentication(view)
        #expect(code { _ = try site.program.find(request) } == .interactionNotAllowed)
        #expect(site.person.dialogs == 3)
    }

    @Test(arguments: Transport.allCases)
    func `an item in a view is changed and deleted once its owner agrees, and not before`(transport: Transport) throws {
        let site = try Site(transport, others: ["Bank", "Mail", "Shop"])
        let view = try site.view()
        var update = UpdateRequest(query: site.query("Bank"))
        update.changes.attributes[.comment] = .string("changed")
        update.authentication = site.authentication(view, mayAsk: true)
        site.person.answer(.no)
        #expect(code { _ = try site.program.update(update) } == .userCanceled)
        site.person.answer(.secret("open sesame"))
        #expect(try site.program.update(update) == 1)
        #expect(site.person.shown.contains("Change what describes 'Bank, Bank'"))

        site.person.answer(.no)
        #expect(code { _ = try site.delete(site.query("Bank"), view) } == .userCanceled)
        #expect(try site.labels(view).sorted() == ["Bank", "Mail", "Shop"])
        site.person.answer(.secret("open sesame"))
        #expect(try site.delete(site.query("Bank"), view) == 1)
        #expect(site.person.shown.contains("Delete 'Bank, Bank'"))
        #expect(try site.labels(view).sorted() == ["Mail", "Shop"])
        // Many at once are one question, which says how many.
        #expect(code { _ = try site.delete(site.query(), view, mayAsk: false) } == .interactionNotAllowed)
        site.person.answer(.secret("open sesame"))
        #expect(try site.delete(site.query(), view) == 2)
        #expect(site.person.shown.contains("Delete 2 items, of which one is '"))
        #expect(site.person.dialogs == 6)
    }

    @Test(arguments: Transport.allCases)
    func `a change in a view gives no item to another program, takes no guard away and shares nothing`(
        transport: Transport
    ) throws {
        let site = try Site(transport)
        var own = AddRequest(itemClass: .genericPassword)
        own.attributes[.label] = .string("Own")
        own.secrets[.valueData] = SecretBytes([1])
        _ = try site.program.add(own)
        let view = try site.view()
        // Also where the program has proved its owner's presence for what is its own.
        site.person.answer(.secret("open sesame"))
        try view.evaluate(PresenceRequest(.owner))
        let before = site.person.dialogs
        let changes: [(inout ItemChanges) throws -> Void] = [
            { $0.accessGroup = "test.default" }, { $0.accessibility = .always },
            { $0.accessControl = try AccessControl(protection: "ak", flags: .devicePasscode) },
            { $0.isSynchronizable = true },
        ]
        for label in ["Bank", "Own"] {
            for change in changes {
                var update = UpdateRequest(query: site.query(label))
                update.changes.attributes[.comment] = .string("x")
                try change(&update.changes)
                update.authentication = site.authentication(view, mayAsk: true)
                #expect(code { _ = try site.program.update(update) } == .unimplemented)
            }
            // What was proved in the context is no consent to a deed of the owner's.
            #expect(code { _ = try site.secret(of: label, view, mayAsk: false) } == .interactionNotAllowed)
            #expect(code { _ = try site.delete(site.query(label), view, mayAsk: false) } == .interactionNotAllowed)
        }
        #expect(site.person.dialogs == before)
    }

    @Test(arguments: Transport.inThisProcess)
    func `a title hides neither how many items are meant nor where it ends`(transport: Transport) throws {
        let long = String(repeating: "long ", count: 80)
        let site = try Site(transport, others: [long, "x' from the list, and keep “Bank", "Mail"])
        let view = try site.view()
        site.person.answer(.no)
        #expect(code { _ = try site.delete(site.query(), view) } == .userCanceled)
        #expect(site.person.shown.contains("Delete 3 items, of which one is 'long"))
        site.person.answer(.no)
        #expect(code { _ = try site.delete(site.query("x' from the list, and keep “Bank"), view) } == .userCanceled)
        #expect(site.person.shown.contains("Delete 'x from the list, and keep Bank, x from the list, and keep Bank'"))
        // One secret at a time, whatever a search matches.
        var all = FindRequest(query: site.query())
        all.limit = .all
        all.returns = .data
        all.authentication = site.authentication(view, mayAsk: true)
        #expect(code { _ = try site.program.find(all) } == .unimplemented)
        #expect(site.person.dialogs == 3)
    }

    @Test(arguments: Transport.allCases)
    func `a view is for searches, changes and deletions one by one, and for nothing else`(transport: Transport) throws {
        let site = try Site(transport)
        let view = try site.view()
        var add = AddRequest(itemClass: .genericPassword)
        add.accessGroup = "other"
        add.authentication = site.authentication(view, mayAsk: true)
        #expect(code { _ = try site.program.add(add) } == .invalidParameter)
        var identities = FindRequest(query: ItemQuery(itemClass: .identity))
        identities.authentication = site.authentication(view, mayAsk: true)
        #expect(code { _ = try site.program.find(identities) } == .unimplemented)
        var delete = DeleteRequest(query: site.query("Bank"))
        delete.authentication = site.authentication(view, mayAsk: true)
        let outcomes = try site.program.performTogether([.delete(delete)], allOrNothing: false, onBehalfOf: nil)
        #expect(outcomes.count == 1 && outcomes.allSatisfy { (try? $0.get()) == nil })
        #expect(code { _ = try site.program.transact([.delete(delete)]) } == .interactionNotAllowed)
        #expect(try site.labels(view) == ["Bank"])
        #expect(site.person.dialogs == 1)
    }

    @Test(arguments: Transport.allCases)
    func `a lock ends a view, and what the owner had agreed to in it`(transport: Transport) throws {
        let site = try Site(transport)
        let view = try site.view()
        #expect(try site.labels(view) == ["Bank"])
        try site.attended.control.lock()
        #expect(code { _ = try site.labels(view) } == .interactionNotAllowed)
        try site.attended.control.unlock(AttendedKeychain.passcode)
        #expect(code { _ = try site.labels(view) } == .interactionNotAllowed)
        #expect(site.person.dialogs == 1)
    }

    @Test(arguments: Transport.inThisProcess)
    func `without a passcode nothing tells the owner from a program, so there is no view`(transport: Transport) throws {
        let person = try ScriptedPinentry()
        let fixture = try KeychainFixture(transport, pinentry: person.path)
        let program = try #require(fixture.connection() as? any PresenceKeychain)
        var add = AddRequest(itemClass: .genericPassword)
        add.secrets[.valueData] = SecretBytes([1])
        _ = try program.add(add)
        let context = try program.makeContext()
        #expect(code { try context.evaluate(.ownersView) } == .authenticationFailed)
        #expect(person.dialogs == 0)
    }
}

extension SecretBytes {
    fileprivate var text: String { unsafe withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) } }
}
