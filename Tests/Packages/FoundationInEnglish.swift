// What of Foundation asks for ICU's data, and ends the process where there are none.
import Foundation

let day = Date(timeIntervalSince1970: 0)
print(Calendar(identifier: .gregorian).component(.year, from: day))
print(Calendar(identifier: .hebrew).component(.year, from: day))
print(Locale.current.identifier, TimeZone(identifier: "Europe/Berlin")?.secondsFromGMT(for: day) ?? -1)
print(day.formatted(.iso8601), ISO8601DateFormatter().string(from: day))
print(day.formatted(date: .long, time: .omitted), 1234.5.formatted())
print(NumberFormatter.localizedString(from: 1234.5, number: .decimal))

let formatter = DateFormatter()
formatter.timeZone = .gmt
formatter.dateStyle = .full
formatter.timeStyle = .full
print(formatter.string(from: day))

print("\u{DF}".uppercased(with: Locale(identifier: "de_DE")), "a".compare("B", options: .caseInsensitive).rawValue)
print("stra\u{DF}e".folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil))
print("a b".localizedCaseInsensitiveCompare("A B").rawValue)
print(["b", "A", "\u{E4}", "a10", "a9"].sorted { $0.localizedStandardCompare($1) == .orderedAscending })
print(
    "e\u{301}".precomposedStringWithCanonicalMapping.utf8.count,
    "x".applyingTransform(.toLatin, reverse: false) ?? ""
)
print(
    String(data: Data([0xE9]), encoding: .isoLatin1) ?? "",
    String(data: Data([0xE9]), encoding: .windowsCP1252) ?? ""
)
print("a.b,c d".components(separatedBy: .punctuationCharacters), String(format: "%.2f %@", 1.5, "x"))
print((try? NSRegularExpression(pattern: "a+"))?.numberOfMatches(in: "aba", range: NSRange(0..<3)) ?? -1)
print(CocoaError(.fileNoSuchFile).localizedDescription)
