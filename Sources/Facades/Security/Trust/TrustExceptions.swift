import CoreFoundationAliases
import Foundation

/// Failures that a caller lets pass, for one certificate.
///
/// As data: four bytes that name the format, each status as four bytes in big-endian order, and at the end the
/// certificate itself.
struct TrustExceptions: Sendable {
    private static let format = Data("CHX1".utf8)

    private let statuses: Set<OSStatus>
    private let certificate: Data

    /// Records failures; nil if one of them can never pass.
    init?(of certificates: [SecCertificate], letting failures: [TrustEvaluation.Failure]) {
        guard let certificate = certificates.first?.der, !failures.contains(where: \.isFatal) else { return nil }
        statuses = Set(failures.map(\.status))
        self.certificate = certificate
    }

    /// Reads what was recorded; nil for anything else, and for what was recorded of another certificate.
    init?(_ data: CFData, of certificates: [SecCertificate]) {
        guard let certificate = certificates.first?.der else { return nil }
        let head = Data(referencing: data).dropLast(certificate.count)
        guard data.length == head.count + certificate.count, head.starts(with: Self.format),
            Data(referencing: data).suffix(certificate.count) == certificate
        else { return nil }
        let bytes = Array(head.dropFirst(Self.format.count))
        guard bytes.count.isMultiple(of: 4) else { return nil }
        statuses = Set(
            stride(from: 0, to: bytes.count, by: 4).map { start in
                OSStatus(truncatingIfNeeded: bytes[start..<start + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) })
            }
        )
        self.certificate = certificate
    }

    var data: Data {
        let numbers = statuses.sorted().flatMap { status in
            stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: status >> $0) }
        }
        return Self.format + Data(numbers) + certificate
    }

    /// Whether all of an evaluation's failures pass.
    func letPass(_ failures: [TrustEvaluation.Failure]) -> Bool {
        failures.allSatisfy { !$0.isFatal && statuses.contains($0.status) }
    }
}
