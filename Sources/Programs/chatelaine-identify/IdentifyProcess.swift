import CKeychainLinux
import Glibc
import KeychainSystem
import PeerIdentity

/// The process that alone may look at others.
enum IdentifyProcess {
    /// How many questions can be looked into at once: a slow disk holds up no more than that.
    private static let threads = 8
    /// For all threads; nothing is kept between two questions.
    private static let mostDescriptors: rlim_t = 256

    /// Returns when the server has gone.
    static func run(_ options: IdentifyOptions) throws {
        try giveUpRights(options)
        switch options.source {
        case .connected(let number):
            serve(Descriptor(owning: number), options)
        case .listener(let number, let server):
            let listener = Descriptor(owning: number)
            while let socket = accept(listener, from: server) { serve(socket, options) }
        }
    }

    /// Looking at processes of all users needs CAP_SYS_PTRACE; opening a program that only its owner may read needs
    /// CAP_DAC_READ_SEARCH. That is all it keeps.
    private static func giveUpRights(_ options: IdentifyOptions) throws {
        var failure = clinux_become(
            options.uid,
            options.gid,
            clinux_capability_ptrace | clinux_capability_read_all
        )
        if failure == 0 { failure = clinux_harden() }
        var limit = rlimit(rlim_cur: mostDescriptors, rlim_max: mostDescriptors)
        if failure == 0, unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) != 0 { failure = errno }
        guard failure == 0 else {
            throw IdentifyOptions.Refusal(
                description: "cannot give up its rights: \(unsafe String(cString: strerror(failure)))"
            )
        }
    }

    private static func accept(_ listener: Descriptor, from server: UInt32) -> Descriptor? {
        while true {
            let number = Glibc.accept(listener.number, nil, nil)
            if number < 0, errno == EINTR || errno == ECONNABORTED { continue }
            guard number >= 0 else { return nil }
            let socket = Descriptor(owning: number)
            // No other client is answered: not even the socket's folder keeps root's other programs out.
            if socket.peer?.uid == server { return socket }
        }
    }

    private static func serve(_ socket: Descriptor, _ options: IdentifyOptions) {
        let service = WitnessService(socket, testimony: options.testimony)
        var workers: [pthread_t] = []
        for _ in 1..<threads {
            var worker = pthread_t()
            let body = unsafe Unmanaged.passRetained(Worker(service))
            let started = unsafe pthread_create(
                &worker,
                nil,
                { context in
                    guard let context = unsafe context else { return nil }
                    unsafe Unmanaged<Worker>.fromOpaque(context).takeRetainedValue().service.run()
                    return nil
                },
                body.toOpaque()
            )
            if started == 0 {
                workers.append(worker)
            } else {
                unsafe body.release()
            }
        }
        service.run()
        for worker in workers { _ = pthread_join(worker, nil) }
    }

    private final class Worker {
        let service: WitnessService

        init(_ service: WitnessService) {
            self.service = service
        }
    }

    static func complain(_ message: String) {
        let line = Array("chatelaine-identify: \(message)\n".utf8)
        _ = unsafe write(STDERR_FILENO, line, line.count)
    }
}
