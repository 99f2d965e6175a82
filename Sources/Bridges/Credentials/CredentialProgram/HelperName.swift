import CredentialHelpers

/// The helpers, by the word that names each on the command line.
enum HelperName: String, CaseIterable {
    case git
    case docker
    case cargo
    case keyring
    case aws
    case kubectl

    /// The helper that a program's name says, as other programs look for it.
    init?(program name: String) {
        switch name {
        case "git-credential-chatelaine": self = .git
        case "docker-credential-chatelaine": self = .docker
        case "cargo-credential-chatelaine": self = .cargo
        case "keyring": self = .keyring
        default: return nil
        }
    }

    /// How this helper says that it does not do what it was asked.
    func reply(to failure: HelperFailure) -> HelperReply {
        switch self {
        case .docker: DockerHelper.reply(to: failure)
        case .cargo: CargoHelper.reply(to: failure)
        case .git, .keyring, .aws, .kubectl: .failure(failure.message)
        }
    }
}
