package import KeychainCircles
package import KeychainModel
import KeychainSync

extension KeychainCircle: CircleService {
    package func answer(_ request: CircleRequest) throws(KeychainError) -> CircleAnswer {
        switch request {
        case .status: return .status(try status())
        case .place(let path, let token): try place(path, token)
        case .rename(let name, let token): try rename(name, token)
        case .found: return .bytes(try found().bytes)
        case .begin: return .bytes(try requestToJoin().encoded)
        case .takeAnswer(let answer): return .bytes(try take(answer).encoded)
        case .join(let answer, let founding): return .bytes(try join(answer, founding: founding).encoded)
        case .answer(let request): return .bytes(try answer(request).encoded)
        case .takeReveal(let reveal): try take(reveal)
        case .add(let card, let consent): try add(card, consent)
        case .addRecoveryKey(let key, let consent): try add(key, consent: consent)
        case .remove(let device): try remove(device)
        case .acceptOlder(let token): try acceptOlder(token)
        case .forget(let token): try forget(token)
        case .versions(let leave, let text): return .versions(try earlierVersions(leave, matching: text))
        case .bringBack(let number, let leave): return .title(try bringBack(number, leave))
        case .discard(let number, let leave): return .title(try discard(number, leave))
        }
        return .done
    }
}
