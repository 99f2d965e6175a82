import CoreFoundationAliases
import Foundation

@_implementationOnly import KeychainCertificates

extension CertificateProperty {
    /// The property as programs get it.
    var dictionary: NSDictionary {
        let (type, value) = typedValue
        return [
            kSecPropertyKeyType: type, kSecPropertyKeyLabel: label as NSString,
            kSecPropertyKeyLocalizedLabel: readableLabel as NSString, kSecPropertyKeyValue: value,
        ]
    }

    private var typedValue: (CFString, NSObject) {
        switch value {
        case .string(let text): (kSecPropertyTypeString, text as NSString)
        case .data(let bytes): (kSecPropertyTypeData, NSData(copying: bytes))
        case .url(let text):
            if let url = NSURL(string: text) {
                (kSecPropertyTypeURL, url)
            } else {
                (kSecPropertyTypeString, text as NSString)
            }
        // On macOS the dates of the validity are numbers.
        case .date(let seconds): (kSecPropertyTypeNumber, NSNumber(value: seconds))
        case .section(let properties):
            (kSecPropertyTypeSection, properties.map(\.dictionary) as NSArray)
        }
    }

    /// The label, or the name of the identifier that is the label.
    private var readableLabel: String {
        OID.name(of: label) ?? label
    }

    /// Lines for a terminal: the label and the value, those of a section below it and further in.
    func text(indented depth: Int) -> String {
        let margin = String(repeating: "    ", count: depth)
        switch value {
        case .string(let text), .url(let text): return "\(margin)\(readableLabel): \(text)\n"
        case .date(let seconds):
            let date = Date(timeIntervalSinceReferenceDate: seconds)
            return "\(margin)\(readableLabel): \(date.formatted(.iso8601))\n"
        case .data(let bytes):
            let lines = stride(from: 0, to: bytes.count, by: 32).map { start in
                "\(margin)    \(bytes.dropFirst(start).prefix(32).hexadecimal)\n"
            }
            return "\(margin)\(readableLabel):\n" + lines.joined()
        case .section(let properties):
            return "\(margin)\(readableLabel):\n" + properties.map { $0.text(indented: depth + 1) }.joined()
        }
    }
}
