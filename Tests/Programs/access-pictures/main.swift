import BrowserTesting
import Foundation

// Takes pictures of the keychain's pages, light and dark: access-pictures ADDRESS FOLDER [WIDTH]
// The address is the one that chatelaine-access prints; it is used up.
let arguments = CommandLine.arguments
guard arguments.count >= 3,
    let origin = arguments[1].range(of: "/open/").map({ String(arguments[1][..<$0.lowerBound]) })
else {
    FileHandle.standardError.write(Data("usage: access-pictures ADDRESS FOLDER [WIDTH]\n".utf8))
    exit(2)
}
let folder = arguments[2]
let width = arguments.count > 3 ? Int(arguments[3]) ?? 1_280 : 1_280

let page = try Browser.start(width: width, height: 860).newPage()
try page.open(arguments[1])
try page.waitForText("Overview")
try page.open(origin + "/")

/// The first link of a table, and what its page has.
func item(named name: String) throws -> String {
    try page.open(origin + "/items?query=" + name)
    return try page.evaluate("document.querySelector('tbody th a').href").description
}

func take(_ name: String, _ prepare: () throws -> Void) throws {
    for scheme in ["light", "dark"] {
        try page.setEmulatedMedia(colorScheme: scheme)
        try prepare()
        try Data(page.screenshot()).write(to: URL(filePath: "\(folder)/\(name)-\(scheme).png"))
    }
}

for (name, path) in [
    ("overview", "/"), ("items", "/items"), ("search", "/items?query=mail"), ("new", "/items/new"),
    ("certificates", "/certificates"), ("keys", "/keys"), ("groups", "/groups"), ("record", "/audit"),
    ("devices", "/devices"), ("passwords", "/passwords"), ("programs", "/programs"),
] {
    try take(name) { try page.open(origin + path) }
}
let mail = try item(named: "mail")
try take("item") { try page.open(mail) }
try take("edit") { try page.open(mail + "/edit") }
try take("secret") {
    try page.open(mail)
    try page.waitForNavigation { try page.click("form[action$=reveal] button") }
}
try page.open(mail)
try page.waitForNavigation { try page.click("a[href$='/code/new']") }
try take("add-code") { try page.open(mail + "/code/new") }
try page.click("#code")
try page.type("GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ")
try page.waitForNavigation { try page.press(.enter) }
try take("item-with-code") { try page.open(mail) }
try take("code") {
    try page.open(mail)
    try page.waitForNavigation { try page.click("form[action$='/code'] button") }
}
let forum = try item(named: "forum")
try page.open(forum + "/edit")
try page.click("#account")
try page.type("x")
try page.waitForNavigation { try page.press(.enter) }
try take("changed") { try page.open(forum) }
try take("delete") {
    try page.open(mail)
    try page.waitForNavigation { try page.click("form[action$=delete] button") }
}
try page.open(origin + "/certificates")
if try page.evaluate("document.querySelector('tbody th a') != null").description == "true" {
    let certificate = try page.evaluate("document.querySelector('tbody th a').href").description
    try take("certificate") { try page.open(certificate) }
}
let films = try item(named: "films")
try page.open(films)
try page.waitForNavigation { try page.click("form[action$=delete] button") }
try page.waitForNavigation { try page.click("form[action$=delete] button") }
try Data(page.screenshot()).write(to: URL(filePath: "\(folder)/undo-light.png"))
try take("deleted") { try page.open(origin + "/deleted") }
