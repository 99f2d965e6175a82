import Mustache

/// What a template is filled with, by the names in it.
typealias PageValues = [String: Any]

/// The templates of the pages.
struct PageTemplates: Sendable {
    private let library: MustacheLibrary

    /// - Throws: where a template cannot be read; they are a part of the program.
    init() throws {
        MustacheContentTypes.register(HTMLText(), named: HTMLText.name)
        var library = MustacheLibrary()
        for (name, bytes) in Self.sources {
            // A partial begins with the library's own escaping again, so each says whose it wants.
            let text = "{{% CONTENT_TYPE:\(HTMLText.name)}}" + String(decoding: bytes, as: UTF8.self)
            try library.register(text, named: name)
        }
        self.library = library
    }

    func render(_ name: String, _ values: PageValues) -> String {
        guard let page = library.render(values, withTemplate: name) else {
            preconditionFailure("there is no template \(name)")
        }
        return page
    }

    static let sources: [String: [UInt8]] = [
        "audit": PackageResources.audit_mustache,
        "bridges": PackageResources.bridges_mustache,
        "certificate": PackageResources.certificate_mustache,
        "certificates": PackageResources.certificates_mustache,
        "characters": PackageResources.characters_mustache,
        "confirm": PackageResources.confirm_mustache,
        "deleted": PackageResources.deleted_mustache,
        "devices": PackageResources.devices_mustache,
        "edit": PackageResources.edit_mustache,
        "fact-groups": PackageResources.fact_groups_mustache,
        "field": PackageResources.field_mustache,
        "filter": PackageResources.filter_mustache,
        "foot": PackageResources.foot_mustache,
        "head": PackageResources.head_mustache,
        "item": PackageResources.item_mustache,
        "item-line": PackageResources.item_line_mustache,
        "item-row": PackageResources.item_row_mustache,
        "items": PackageResources.items_mustache,
        "keys": PackageResources.keys_mustache,
        "message": PackageResources.message_mustache,
        "notice": PackageResources.notice_mustache,
        "opening": PackageResources.opening_mustache,
        "outcome": PackageResources.outcome_mustache,
        "overview": PackageResources.overview_mustache,
        "pagination": PackageResources.pagination_mustache,
        "passwords": PackageResources.passwords_mustache,
        "programs": PackageResources.programs_mustache,
        "related": PackageResources.related_mustache,
        "secret": PackageResources.secret_mustache,
        "spelled": PackageResources.spelled_mustache,
        "view": PackageResources.view_mustache,
    ]
}

/// How text becomes a part of a page.
///
/// Our own: swift-mustache 2.1 escapes characters, and a quotation mark with a combining accent is a character of its own
/// to it. That one would end an attribute.
struct HTMLText: MustacheContentType {
    static let name = "PAGE"

    func escapeText(_ text: String) -> String {
        var escaped: [UInt8] = []
        escaped.reserveCapacity(text.utf8.count + text.utf8.count / 8)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "&"): escaped += Array("&amp;".utf8)
            case UInt8(ascii: "<"): escaped += Array("&lt;".utf8)
            case UInt8(ascii: ">"): escaped += Array("&gt;".utf8)
            case UInt8(ascii: "\""): escaped += Array("&quot;".utf8)
            case UInt8(ascii: "'"): escaped += Array("&#39;".utf8)
            default: escaped.append(byte)
            }
        }
        return String(decoding: escaped, as: UTF8.self)
    }
}
