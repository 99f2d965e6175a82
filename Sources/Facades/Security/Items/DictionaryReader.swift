import CoreFoundationAliases
import Foundation

@_implementationOnly import KeychainModel

/// Takes a caller's dictionary apart, without a judgement of its own but on the type of the keys.
enum DictionaryReader {
    /// - Throws: `noSuchAttribute` for a key that is a number, `invalidParameter` for one of another type; what an access
    ///   control throws that the keychain cannot enforce.
    static func entries(of dictionary: CFDictionary) throws(KeychainError) -> QueryParser.Entries {
        var entries: QueryParser.Entries = []
        entries.reserveCapacity(dictionary.count)
        var failure: KeychainError?
        // Iterating with `for` looks each key up once more.
        unsafe dictionary.enumerateKeysAndObjects { key, value, stop in
            guard let key = key as? String else {
                failure = KeychainError(
                    key is NSNumber ? .noSuchAttribute : .invalidParameter,
                    "a key of the dictionary is not a string"
                )
                unsafe stop.pointee = true
                return
            }
            do throws(KeychainError) {
                entries.append((key, try queryValue(value, isSecret: key == "v_Data")))
            } catch {
                failure = error
                unsafe stop.pointee = true
            }
        }
        if let failure { throw failure }
        return entries
    }

    private static func queryValue(_ value: Any, isSecret: Bool) throws(KeychainError) -> QueryValue {
        switch value {
        case let string as String: .string(string)
        // Before the types that cost more to tell it from.
        case let number as NSNumber: queryValue(number)
        case let data as Data: isSecret ? .secret(SecretBytes(data)) : .data(Array(data))
        case let date as Date: .date(date.timeIntervalSinceReferenceDate)
        case let uuid as UUID: queryValue(uuid)
        case let control as SecAccessControl: .accessControl(try control.control)
        case let certificate as SecCertificate: .reference(.certificate(certificate.bytes))
        case let key as SecKey: (try? key.material.reference).map { .reference($0) } ?? .other
        case let identity as SecIdentity: (try? identity.reference).map { .reference($0) } ?? .other
        case let policy as SecPolicy: .policy(policy.trustPolicy)
        case is NSNull: .null
        case let array as [Any]: queryValue(array)
        case let context as any AuthenticationContext:
            .authenticationContext(CallContext(context))
        default: .other
        }
    }

    private static func queryValue(_ number: NSNumber) -> QueryValue {
        if isBoolean(number) { return .boolean(number.boolValue) }
        switch unsafe UInt8(bitPattern: number.objCType.pointee) {
        case UInt8(ascii: "f"), UInt8(ascii: "d"): return .real(number.doubleValue)
        case UInt8(ascii: "Q") where number.uint64Value > UInt64(Int64.max):
            // No attribute has such a number; as another one it would be a silent mistake.
            return .other
        default: return .integer(number.int64Value)
        }
    }

    private static func queryValue(_ array: [Any]) -> QueryValue {
        var list: [[UInt8]] = []
        for element in array {
            guard let data = element as? Data else { return .other }
            list.append(Array(data))
        }
        return .list(list)
    }

    private static func queryValue(_ uuid: UUID) -> QueryValue {
        let bytes = unsafe withUnsafeBytes(of: uuid.uuid) { unsafe Array($0) }
        return .uuid(bytes, uuid.uuidString)
    }
}

extension CallContext {
    init(_ context: any AuthenticationContext) {
        var prompt = PromptWishes()
        prompt.reason = context.promptReason
        prompt.cancelTitle = context.promptCancelTitle
        prompt.fallbackTitle = context.promptFallbackTitle
        self.init(
            forbidsInteraction: context.forbidsInteraction,
            applicationPassword: context.applicationPassword as? SecretBytes,
            presence: context.presenceContext as? any PresenceContext,
            prompt: prompt,
            reuse: UnlockReuse(seconds: context.unlockReuseDuration)
        )
    }
}
