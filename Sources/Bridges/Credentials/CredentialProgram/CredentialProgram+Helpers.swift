import CredentialHelpers
import Glibc
import KeychainModel
import Terminal

extension CredentialProgram {
    /// - Throws: where the input cannot be read.
    func answer(_ helper: HelperName, _ arguments: [String]) throws(HelperFailure) -> HelperReply {
        switch helper {
        case .git: try git(arguments)
        case .docker: try docker(arguments)
        case .cargo: try cargo(arguments)
        case .keyring: try keyring(arguments)
        case .aws: try aws(arguments)
        case .kubectl: try kubectl(arguments)
        }
    }

    private func git(_ arguments: [String]) throws(HelperFailure) -> HelperReply {
        guard arguments.count == 1, let action = arguments.first else {
            throw HelperFailure("usage: git-credential-chatelaine get|store|erase|capability")
        }
        var input = SecretInput()
        let text = GitHelper.reads(action) ? try input.upToBlankLine(limit: GitRequest.largestInput) : SecretBytes([])
        return GitHelper.answer(action, text, from: keychain)
    }

    private func docker(_ arguments: [String]) throws(HelperFailure) -> HelperReply {
        guard arguments.count == 1, let action = arguments.first else {
            throw HelperFailure("Usage: docker-credential-chatelaine <store|get|erase|list|version>")
        }
        var input = SecretInput()
        let text = DockerHelper.reads(action) ? try input.all(limit: DockerHelper.largestInput) : SecretBytes([])
        return DockerHelper.answer(action, text, from: keychain)
    }

    private func cargo(_ arguments: [String]) throws(HelperFailure) -> HelperReply {
        guard arguments == ["--cargo-plugin"] else {
            return .failure("this is a credential provider for cargo, which starts it with --cargo-plugin")
        }
        _ = Self.report(HelperReply(CargoHelper.hello), name)
        var input = SecretInput()
        while let line = try input.line(limit: CargoHelper.largestRequest) {
            let reply = CargoHelper.answer(line, from: keychain) { (question) throws(HelperFailure) in
                // Standard input is cargo's.
                try secret(question, readsStandardInput: false)
            }
            guard Self.report(reply, name) == 0 else { return HelperReply(exitStatus: 1) }
        }
        return HelperReply()
    }

    private func keyring(_ arguments: [String]) throws(HelperFailure) -> HelperReply {
        if arguments == ["--list-backends"] { return HelperReply(KeyringHelper.backends) }
        let request = try KeyringRequest(arguments)
        let password = request.action == .set ? try newSecret("password for \(request.description)") : nil
        return KeyringHelper.answer(request, password: password, from: keychain)
    }

    // MARK: - Secrets that a person gives

    /// Asked for on the terminal, or a line of standard input where that is none.
    func newSecret(_ question: String) throws(HelperFailure) -> SecretBytes {
        try secret(question, readsStandardInput: isatty(STDIN_FILENO) == 0)
    }

    private func secret(_ question: String, readsStandardInput: Bool) throws(HelperFailure) -> SecretBytes {
        do throws(Failure) {
            return try SecretQuestions(readsStandardInput: readsStandardInput).ask(for: TerminalText.escaped(question))
        } catch {
            throw HelperFailure(error.message)
        }
    }
}
