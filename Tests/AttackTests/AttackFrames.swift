import KeychainModel
import KeychainProtocol

/// The attackers speak the protocol, and leave its encoding to us.
enum AttackFrames {
    /// - Parameter secret: what the victim keeps from everybody.
    /// - Returns: the names of files, and what is in them.
    static func all(storing secret: String) throws -> [String: [UInt8]] {
        var add = AddRequest(itemClass: .genericPassword)
        add.attributes["svce"] = .string("attacked")
        add.secrets[.valueData] = SecretBytes(Array(secret.utf8))
        var query = ItemQuery(itemClass: .genericPassword)
        query.filters["svce"] = .string("attacked")
        var find = FindRequest(query: query)
        find.returns = [.data, .attributes]
        let authentication = Authentication(proof: Array(repeating: 0xAA, count: 32), version: 1)
        let everything = ItemClass.allCases.map { itemClass in
            var find = FindRequest(query: ItemQuery(itemClass: itemClass))
            find.limit = .all
            find.returns = [.attributes]
            return KeychainOperation.find(find)
        }
        return [
            "authentication.frame": try FrameCodec.encode(.authenticate(authentication)),
            "add.frame": try FrameCodec.encode(.request(id: 1, .operation(.add(add)))),
            "find.frame": try FrameCodec.encode(.request(id: 1, .operation(.find(find)))),
            "everything.frame": try FrameCodec.encode(.request(id: 1, .batch(everything))),
        ]
    }
}
