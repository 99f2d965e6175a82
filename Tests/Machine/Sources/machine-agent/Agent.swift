import AgentProtocol
import Dispatch
import Glibc
import Synchronization

/// Runs what the tests ask for: `machine-agent /dev/virtio-ports/NAME`.
@main
struct Agent {
    static func main() {
        guard CommandLine.arguments.count == 2 else { exit(64) }
        signal(SIGPIPE, SIG_IGN)
        let port = unsafe open(CommandLine.arguments[1], O_RDWR | O_CLOEXEC)
        guard port >= 0 else {
            unsafe perror("machine-agent: open")
            exit(1)
        }
        Agent(port: Port(port)).serve()
    }

    private let port: Port

    private init(port: Port) { self.port = port }

    private func serve() -> Never {
        var reader = MessageReader()
        while true {
            guard let bytes = port.read() else {
                // Nobody has the other end.
                usleep(100_000)
                continue
            }
            reader.append(bytes)
            do throws(MessageReader.Malformed) {
                while let message = try reader.next() { answer(message) }
            } catch {
                reader = MessageReader()
            }
        }
    }

    private func answer(_ message: Message) {
        switch message.kind {
        case .hello: port.write(Message(request: message.request, kind: .ready))
        case .run:
            let port = port
            Thread.start {
                let status = Script(message.text).run { bytes in
                    port.write(Message(request: message.request, kind: .output, payload: bytes))
                }
                port.write(Message(request: message.request, kind: .status, payload: Array(String(status).utf8)))
            }
        case .ready, .output, .status: break
        }
    }
}

/// The agent's end of the port. One message is written at a time.
final class Port: Sendable {
    private let descriptor: Int32
    private let writing = Mutex(())

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    func read() -> [UInt8]? { readSome(from: descriptor) }

    func write(_ message: Message) {
        let bytes = message.encoded
        writing.withLock { _ in
            var sent = 0
            while sent < bytes.count {
                let count = unsafe bytes.withUnsafeBytes { buffer in
                    unsafe Glibc.write(descriptor, buffer.baseAddress.map { unsafe $0 + sent }, buffer.count - sent)
                }
                if count > 0 {
                    sent += count
                } else if errno != EINTR {
                    usleep(10_000)
                }
            }
        }
    }
}

/// Some bytes; nil at the end and where there are none.
func readSome(from descriptor: Int32) -> [UInt8]? {
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
        count = max(0, unsafe Glibc.read(descriptor, buffer.baseAddress, buffer.count))
    }
    return bytes.isEmpty ? nil : bytes
}

enum Thread {
    /// A thread for each: what a request does may block for as long as it likes.
    static func start(_ body: @escaping @Sendable () -> Void) {
        let box = unsafe Unmanaged.passRetained(Body(body)).toOpaque()
        var thread = pthread_t()
        let status = unsafe pthread_create(
            &thread,
            nil,
            { box in
                unsafe box.map { unsafe Unmanaged<Body>.fromOpaque($0).takeRetainedValue().run() }
                return nil
            },
            box
        )
        if status == 0 {
            pthread_detach(thread)
        } else {
            unsafe Unmanaged<Body>.fromOpaque(box).release()
        }
    }

    private final class Body: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }
}
