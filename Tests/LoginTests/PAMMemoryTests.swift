import Foundation
import KeychainTestSupport
import Testing

/// What the module leaves in the memory of the program that somebody logs in by.
@Suite(.enabled(if: LoginSite.obstacle == nil, "\(LoginSite.obstacle ?? "")"), .timeLimit(.minutes(3)))
struct PAMMemoryTests {
    /// Goes through a log-in by libpam, and looks for the module's message, in which the password's length stands before
    /// it: that tells it from PAM's own copies and from this program's.
    private static let script = """
        import ctypes, os, re, sys
        pam, libc = ctypes.CDLL('libpam.so.0'), ctypes.CDLL('libc.so.6')
        stack, password = sys.argv[1], sys.argv[2].encode()

        class Message(ctypes.Structure): _fields_ = [('style', ctypes.c_int), ('text', ctypes.c_char_p)]
        class Response(ctypes.Structure): _fields_ = [('text', ctypes.c_void_p), ('code', ctypes.c_int)]
        Talk = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.POINTER(ctypes.POINTER(Message)),
                                ctypes.POINTER(ctypes.POINTER(Response)), ctypes.c_void_p)
        class Conversation(ctypes.Structure): _fields_ = [('talk', Talk), ('data', ctypes.c_void_p)]
        libc.calloc.restype = libc.strdup.restype = ctypes.c_void_p

        @Talk
        def talk(count, messages, responses, data):
            memory = libc.calloc(count, ctypes.sizeof(Response))
            answers = ctypes.cast(memory, ctypes.POINTER(Response))
            for number in range(count): answers[number].text = libc.strdup(password)
            responses[0] = answers
            return 0

        def copies():
            prefix, found = len(password).to_bytes(2, 'big'), 0
            with open('/proc/self/maps') as maps, open('/proc/self/mem', 'rb', 0) as memory:
                for line in maps:
                    words = line.split()
                    if not words[1].startswith('rw') or '[v' in line: continue
                    start, end = (int(number, 16) for number in words[0].split('-'))
                    memory.seek(start)
                    part = memory.read(end - start)
                    found += sum(part[max(0, match.start() - 2):match.start()] == prefix
                                 for match in re.finditer(re.escape(password), part))
                    del part
            return found

        handle = ctypes.c_void_p()
        conversation = Conversation(talk, None)
        pam.pam_start_confdir.argtypes = [ctypes.c_char_p, ctypes.c_char_p, ctypes.POINTER(Conversation),
                                          ctypes.c_char_p, ctypes.POINTER(ctypes.c_void_p)]
        def check(result):
            if result != 0: sys.exit(f'PAM says {result}')
        check(pam.pam_start_confdir(b'memory', b'root', ctypes.byref(conversation), stack.encode(),
                                    ctypes.byref(handle)))
        counts = []
        check(pam.pam_authenticate(handle, 0))
        counts.append(copies())
        for call in sys.argv[3:]:
            check({'setcred': pam.pam_setcred, 'open': pam.pam_open_session}[call](handle, 2 if call == 'setcred' else 0))
            counts.append(copies())
        check(pam.pam_end(handle, 0))
        counts.append(copies())
        print(*counts)
        """

    /// The copies after the authentication, after each call, and at the end.
    private func copies(_ site: LoginSite, _ calls: String, hasModule: Bool = true) throws -> [Int] {
        let stack = site.folder + "/stack"
        try FileManager.default.createDirectory(atPath: stack, withIntermediateDirectories: true)
        let module = try "\(Module.path.get()) socket=\(site.enclaveSocket) timeout=2000"
        // The first asks for the password, as a module does that verifies it.
        try
            ("auth required pam_exec.so expose_authtok quiet /bin/true\nauth required pam_permit.so\n"
            + (hasModule ? "auth optional \(module)\nsession optional \(module)\n" : "")
            + "session required pam_permit.so\n")
            .write(toFile: stack + "/memory", atomically: true, encoding: .utf8)
        let program = site.folder + "/memory.py"
        try Self.script.write(toFile: program, atomically: true, encoding: .utf8)
        let outcome = try site.run("/usr/bin/python3 '\(program)' '\(stack)' 'Unusual-Passw0rd-\(getpid())' \(calls)")
        try #require(outcome.status == 0, "\(outcome.errors)")
        return outcome.output.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
    }

    @Test func `once the password was handed over, or the log-in is over, no copy of the module's is left`() throws {
        let site = try LoginSite()
        // Nobody listens: it is kept for the session, and goes at the end.
        #expect(try copies(site, "setcred") == [1, 1, 0])
        #expect(try copies(site, "setcred open") == [1, 1, 0, 0])
        #expect(try copies(site, "") == [1, 0])
        #expect(try copies(site, "", hasModule: false) == [0, 0])
        try site.startListener()
        #expect(try copies(site, "setcred") == [1, 0, 0])
        #expect(site.heard == [76])
    }
}
