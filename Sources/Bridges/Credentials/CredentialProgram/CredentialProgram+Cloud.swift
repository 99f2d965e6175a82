import CredentialHelpers
import Glibc
import KeychainModel

extension CredentialProgram {
    /// `aws PROFILE`, `aws set PROFILE` and `aws delete PROFILE`.
    func aws(_ arguments: [String]) throws(HelperFailure) -> HelperReply {
        switch (arguments.count, arguments.first, arguments.last) {
        case (1, let profile?, _): return try AWSHelper.get(profile, at: Self.now, from: keychain)
        case (2, "set", let profile?): return try setAWS(profile)
        case (2, "delete", let profile?): return try AWSHelper.delete(profile, from: keychain)
        default: throw HelperFailure("usage: chatelaine-credential aws [set|delete] PROFILE")
        }
    }

    /// `kubectl NAME`, `kubectl set NAME` and `kubectl delete NAME`.
    func kubectl(_ arguments: [String]) throws(HelperFailure) -> HelperReply {
        switch (arguments.count, arguments.first, arguments.last) {
        case (1, let name?, _):
            let request = unsafe getenv("KUBERNETES_EXEC_INFO").map { unsafe String(cString: $0) }
            return try KubernetesHelper.get(name, request: request, from: keychain)
        case (2, "set", let name?): return try KubernetesHelper.set(name, kubernetesSecret(name), in: keychain)
        case (2, "delete", let name?): return try KubernetesHelper.delete(name, from: keychain)
        default: throw HelperFailure("usage: chatelaine-credential kubectl [set|delete] NAME")
        }
    }

    /// On a terminal four questions; otherwise as many lines, of which the last two may be missing.
    private func setAWS(_ profile: String) throws(HelperFailure) -> HelperReply {
        let questions = ["access key ID", "secret access key", "session token, if any", "expiration, if any"]
        var answers: [SecretBytes?] = []
        if isatty(STDIN_FILENO) != 0 {
            for question in questions { answers.append(try newSecret(question)) }
        } else {
            var input = SecretInput()
            for _ in questions { answers.append(try input.line(limit: 1 << 16)) }
        }
        guard let accessKey = answers[0], let secretKey = answers[1] else {
            throw HelperFailure("two lines are needed on standard input: the access key ID and the secret access key")
        }
        return try AWSHelper.set(
            profile,
            accessKey: accessKey,
            secretKey: secretKey,
            sessionToken: answers[2],
            expiration: answers[3],
            in: keychain
        )
    }

    /// A token is asked for on a terminal; standard input may also have a certificate and its key.
    private func kubernetesSecret(_ name: String) throws(HelperFailure) -> SecretBytes {
        guard isatty(STDIN_FILENO) == 0 else { return try newSecret("token of \(name)") }
        var input = SecretInput()
        let text = try input.all(limit: 1 << 20)
        return text.droppingLineEnd
    }

    private static var now: Timestamp { Timestamp(seconds: Int64(time(nil))) }
}
