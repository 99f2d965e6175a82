import CSecretService
import KeychainModel
import PasswordImport

/// What the session's Secret Service has, through libsecret.
enum SecretServiceImport {
    private final class Collected {
        var items: [SecretServiceItem] = []
    }

    /// - Throws: where libsecret is not installed, or no service answers.
    static func items() throws -> [SecretServiceItem] {
        let collected = Collected()
        var listener = unsafe csecretservice_listener()
        unsafe listener.context = Unmanaged.passUnretained(collected).toOpaque()
        unsafe listener.begin = { context, label in
            let label = unsafe label.map { unsafe String(cString: $0) }
            unsafe SecretServiceImport.collected(context)?.items.append(SecretServiceItem(label: label ?? ""))
        }
        unsafe listener.attribute = { context, name, value in
            guard let name = unsafe name, let value = unsafe value,
                let collected = unsafe SecretServiceImport.collected(context), !collected.items.isEmpty
            else { return }
            unsafe collected.items[collected.items.count - 1].attributes[String(cString: name)] = String(cString: value)
        }
        unsafe listener.end = { context, secret, count in
            guard let collected = unsafe SecretServiceImport.collected(context), !collected.items.isEmpty else {
                return
            }
            let bytes = unsafe UnsafeRawBufferPointer(start: secret, count: secret == nil ? 0 : count)
            unsafe collected.items[collected.items.count - 1].secret = SecretBytes(bytes)
        }
        var reason = [CChar](repeating: 0, count: 512)
        let result = withExtendedLifetime(collected) {
            unsafe csecretservice_list(&listener, &reason, reason.count)
        }
        guard result == 0 else {
            let text = reason.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
            throw Failure("the Secret Service cannot be read: \(String(decoding: text, as: UTF8.self))")
        }
        return collected.items
    }

    private static func collected(_ context: UnsafeMutableRawPointer?) -> Collected? {
        unsafe context.map { unsafe Unmanaged<Collected>.fromOpaque($0).takeUnretainedValue() }
    }
}
