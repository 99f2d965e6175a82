import EnclaveInterface
import KeychainModel
import Synchronization

/// Pages that say why something else is not shown.
extension AccessSite {
    enum Message {
        case notThere
        case itemGone
        case locked
        case closed
        case addressUsed
        case refused(Admission.Refusal)
        /// - `what`: what did not happen, as a heading. - `back`: the page that somebody was on.
        case failed(KeychainError, what: String, back: String?, command: String?)
    }

    /// A message to the owner, in the frame of the other pages.
    func message(_ message: Message) -> PageResponse {
        framed("message", title: message.heading, in: "", status: message.status, message.values)
    }

    /// A message to somebody who has no session. It says nothing of the keychain.
    func refusal(_ message: Message) -> PageResponse {
        var values = message.values
        values["title"] = message.heading
        return .page(templates.render("message", values), status: message.status)
    }

    func closed() -> PageResponse {
        close()
        forget()
        var response = refusal(.closed)
        response.endsProgram = true
        return response
    }

    /// Lets go of everything that was read.
    package func forget() {
        catalogue.closeView()
        clipboard?.clear()
        findings.withLock { $0 = nil }
        searches.withLock { $0 = [] }
        list.withLock { $0 = nil }
    }

    package func forgetIfLocked() {
        if isLocked { forget() }
    }

    func failure(_ error: KeychainError, of request: PageRequest) -> PageResponse {
        switch error.code {
        case .interactionNotAllowed where isLocked && !error.isLackOfPrompt:
            forget()
            return message(.locked)
        case .itemNotFound: return message(.itemGone)
        default:
            let path = request.segments
            let back =
                path.first == "item"
                ? path.prefix(2) : Self.pages.contains(path.first.map(String.init) ?? "") ? path.prefix(1) : []
            return message(
                .failed(
                    error,
                    what: Self.failed[String(path.last ?? "")] ?? "That did not work",
                    back: request.method == .get ? nil : "/" + back.joined(separator: "/"),
                    command: error.isLackOfPrompt
                        ? (isLocked ? "chatelaine unlock" : recordPath.map { _ in "chatelaine agent" }) : nil
                )
            )
        }
    }

    /// Those that have an address of their own.
    private static let pages: Set = ["items", "passwords", "deleted"]

    /// What did not happen, by the end of the address.
    private static let failed = [
        "reveal": "The password was not shown", "code": "The one-time code was not shown", "copy": "Nothing was copied",
        "edit": "The item was not changed", "delete": "Nothing was deleted", "unlock": "The keychain is still locked",
        "check": "The passwords were not checked", "undo": "Nothing was taken back", "restore": "Nothing was restored",
    ]

    private var isLocked: Bool { (try? catalogue.state()).flatMap { $0?.lock != .unlocked } ?? false }
}

extension AccessSite.Message {
    fileprivate var heading: String {
        switch self {
        case .notThere: "This page does not exist"
        case .itemGone: "This item does not exist any more"
        case .locked: "The keychain is locked"
        case .closed: "These pages are closed"
        case .addressUsed: "This address was used before"
        case .refused(.noSession): "No access"
        case .refused: "The request was refused"
        case .failed(let error, let what, _, _): error.code == .userCanceled ? "You declined" : what
        }
    }

    fileprivate var text: String {
        switch self {
        case .notThere: "Choose a page in the navigation."
        case .itemGone: "Somebody has deleted it."
        case .locked: "Unlock it to see what is in it. The keychain asks for the passcode in a window of its own."
        case .closed: "You can close this tab. The keychain stays as it is. To open the pages again:"
        case .addressUsed:
            "Each address opens the pages once. Somebody else may have used this one, so the program has ended. Start it "
                + "again with this command."
        case .refused(.noSession):
            "These pages open with the address that the command chatelaine access prints, once, and in that browser alone. "
                + "The program may also have ended since."
        case .refused(.noToken): "The form is out of date. Go back, and load the page again."
        case .refused: "The request did not come from these pages."
        case .failed(let error, _, _, _): error.explanation
        }
    }

    fileprivate var status: Int {
        switch self {
        case .notThere, .itemGone: 404
        case .locked: 423
        case .closed: 200
        case .addressUsed: 410
        case .refused(.otherHost): 421
        case .refused(.method): 405
        case .refused: 403
        case .failed(let error, _, _, _): error.code == .userCanceled ? 200 : 500
        }
    }

    fileprivate var values: PageValues {
        var values: PageValues = ["heading": heading, "text": text, "isError": isError, "icon": icon]
        if let command { values["command"] = command }
        if case .locked = self {
            values["hasChoices"] = true
            values["actions"] = [["action": "/unlock", "label": "Unlock"] as PageValues]
        }
        if case .failed(_, _, let back?, _) = self {
            values["hasChoices"] = true
            values["links"] = [["href": back, "name": "Back"] as PageValues]
        }
        return values
    }

    /// What helps, typed in a terminal.
    private var command: String? {
        switch self {
        case .closed, .addressUsed, .refused(.noSession): "chatelaine access"
        case .failed(_, _, _, let command): command
        default: nil
        }
    }

    private var icon: String {
        switch self {
        case .locked: "lock"
        case .closed: "good"
        default: isError ? "warning" : "info"
        }
    }

    private var isError: Bool {
        switch self {
        case .closed, .locked: false
        case .failed(let error, _, _, _): error.code != .userCanceled
        default: true
        }
    }
}

extension KeychainError {
    /// Whether there is nothing to ask its owner by.
    fileprivate var isLackOfPrompt: Bool {
        if case .failed(.nobodyToAsk) = presence { true } else { false }
    }

    /// What a person is told, and what helps.
    var explanation: String {
        if case .failed(let failure) = presence {
            switch failure {
            case .declined, .fallback: return "The keychain has released nothing."
            case .failed: return "The passcode was wrong too often, or the finger was not recognized."
            case .nobodyToAsk:
                return "There is no window and no terminal in which the keychain could ask you."
            case .interrupted: return "Nobody answered the prompt in time."
            case .tooMany: return "Too many prompts were shown or declined. Try again in some minutes."
            default: break
            }
        }
        switch code {
        case .duplicateItem: return "There is such an item already in this access group."
        case .missingEntitlement: return "This program may not use the access group of the item."
        case .diskFull: return "The disk, or your quota, is full."
        default:
            let sentence = message.prefix(1).uppercased() + message.dropFirst()
            return sentence.hasSuffix(".") ? sentence : sentence + "."
        }
    }
}
