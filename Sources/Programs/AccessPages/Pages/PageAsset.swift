/// A file that the pages are drawn with. They load nothing else, from nowhere else.
package enum PageAsset: String, Sendable, CaseIterable {
    case style = "/style.css"
    case script = "/app.js"
    case icons = "/icons.svg"
    /// What a browser asks for before it has read that a page has another icon.
    case icon = "/favicon.ico"

    init?(path: String) { self.init(rawValue: path) }

    var response: PageResponse {
        switch self {
        case .style: .file(PackageResources.style_css, type: "text/css; charset=utf-8")
        case .script: .file(PackageResources.app_js, type: "text/javascript; charset=utf-8")
        case .icons, .icon: .file(PackageResources.icons_svg, type: "image/svg+xml")
        }
    }
}
