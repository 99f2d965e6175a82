import Foundation

// A server that nobody sits at: it reads its secret from its keychain when it starts, and then signs what its clients say.
// `scripts/container.sh` puts it into an image. docs/server.md says how the keychain is unlocked.
//
//   secret-server SOCKET

do {
    guard CommandLine.arguments.count == 2 else {
        say("usage: secret-server SOCKET")
        exit(64)
    }
    let end = EndSignals()
    // Read before anybody can connect: where it is missing, whatever has started the server is to notice.
    let key = try SigningKey(service: "secret-server", account: "signing-key")
    let listener = try SocketListener(path: CommandLine.arguments[1])
    end.onArrival {
        listener.remove()
        say("the end")
        exit(0)
    }
    say("listening")
    listener.serve { line in "\(line) \(key.code(for: line))" }
} catch {
    say("\(error)")
    exit(1)
}

func say(_ text: String) {
    FileHandle.standardError.write(Data("secret-server: \(text)\n".utf8))
}
