import MessageBus

/// `org.freedesktop.DBus.Introspectable`: what D-Bus's own tools and some bindings ask before they call.
extension SecretService {
    /// - Returns: nil for a path that leads to no object.
    func introspection(ofParent path: String, for client: String) -> String? {
        let names: [String]
        switch path {
        case "/": names = ["org"]
        case "/org": names = ["freedesktop"]
        case "/org/freedesktop": names = ["secrets"]
        case SecretObject.root + "/collection": names = order
        case SecretObject.root + "/aliases": names = aliasesShown
        case SecretObject.root + "/session": names = sessions.ids(of: client)
        case SecretObject.root + "/prompt": names = prompts.filter { $0.value.client == client }.keys.sorted()
        default: return nil
        }
        return Self.document(Self.nodes(names))
    }

    /// Those that a path can have.
    private var aliasesShown: [String] {
        Set(aliases.keys).union(["default", "login", "session"]).filter { SecretObject.identifier(for: $0) == $0 }
            .sorted()
    }

    /// - Throws: `UnknownMethod` where there is none, also for another client's.
    func introspection(of object: SecretObject, for client: String) throws(BusError) -> String {
        _ = try properties(of: object, for: client)
        let description =
            switch object {
            case .service: Self.service + Self.nodes(["aliases", "collection", "prompt", "session"])
            case .collection, .alias:
                Self.collection
                    + Self.nodes(
                        ((try? collectionID(of: object)).flatMap { collections[$0] }?.inOrder ?? []).map(
                            \.stored.id.item
                        )
                    )
            case .item, .itemOfAlias: Self.item
            case .session: Self.interface(SecretInterface.session, [Self.method("Close")])
            case .prompt: Self.prompt
            }
        return Self.document(Self.properties + description)
    }

    private static func document(_ content: String) -> String {
        """
        <!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN"
         "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">
        <node>\(content)</node>
        """
    }

    private static func nodes(_ names: [String]) -> String {
        names.map { "<node name=\"\($0)\"/>" }.joined()
    }

    private static func interface(_ name: String, _ members: [String]) -> String {
        "<interface name=\"\(name)\">\(members.joined())</interface>"
    }

    private static func method(_ name: String, takes: [String] = [], gives: [String] = []) -> String {
        let arguments =
            takes.map { "<arg type=\"\($0)\" direction=\"in\"/>" }
            + gives.map { "<arg type=\"\($0)\" direction=\"out\"/>" }
        return "<method name=\"\(name)\">\(arguments.joined())</method>"
    }

    private static func signal(_ name: String, _ types: [String]) -> String {
        "<signal name=\"\(name)\">\(types.map { "<arg type=\"\($0)\"/>" }.joined())</signal>"
    }

    private static func property(_ name: String, _ type: String, isWritable: Bool = false) -> String {
        "<property name=\"\(name)\" type=\"\(type)\" access=\"\(isWritable ? "readwrite" : "read")\"/>"
    }

    private static let properties =
        interface(
            SecretInterface.properties,
            [
                method("Get", takes: ["s", "s"], gives: ["v"]), method("GetAll", takes: ["s"], gives: ["a{sv}"]),
                method("Set", takes: ["s", "s", "v"]), signal("PropertiesChanged", ["s", "a{sv}", "as"]),
            ]
        ) + interface(SecretInterface.introspectable, [method("Introspect", gives: ["s"])])

    private static let service = interface(
        SecretInterface.service,
        [
            method("OpenSession", takes: ["s", "v"], gives: ["v", "o"]),
            method("CreateCollection", takes: ["a{sv}", "s"], gives: ["o", "o"]),
            method("SearchItems", takes: ["a{ss}"], gives: ["ao", "ao"]),
            method("Unlock", takes: ["ao"], gives: ["ao", "o"]), method("Lock", takes: ["ao"], gives: ["ao", "o"]),
            method("GetSecrets", takes: ["ao", "o"], gives: ["a{o(oayays)}"]),
            method("ReadAlias", takes: ["s"], gives: ["o"]), method("SetAlias", takes: ["s", "o"]),
            signal("CollectionCreated", ["o"]), signal("CollectionDeleted", ["o"]),
            signal("CollectionChanged", ["o"]), property("Collections", "ao"),
        ]
    )

    private static let collection = interface(
        SecretInterface.collection,
        [
            method("Delete", gives: ["o"]), method("SearchItems", takes: ["a{ss}"], gives: ["ao"]),
            method("CreateItem", takes: ["a{sv}", "(oayays)", "b"], gives: ["o", "o"]),
            signal("ItemCreated", ["o"]), signal("ItemDeleted", ["o"]), signal("ItemChanged", ["o"]),
            property("Items", "ao"), property("Label", "s", isWritable: true), property("Locked", "b"),
            property("Created", "t"), property("Modified", "t"),
        ]
    )

    private static let item = interface(
        SecretInterface.item,
        [
            method("GetSecret", takes: ["o"], gives: ["(oayays)"]), method("SetSecret", takes: ["(oayays)"]),
            method("Delete", gives: ["o"]), property("Locked", "b"),
            property("Attributes", "a{ss}", isWritable: true), property("Label", "s", isWritable: true),
            property("Created", "t"), property("Modified", "t"),
        ]
    )

    private static let prompt = interface(
        SecretInterface.prompt,
        [method("Prompt", takes: ["s"]), method("Dismiss"), signal("Completed", ["b", "v"])]
    )
}
