import Foundation
import KeychainMessages
import KeychainModel
import Testing

@testable import KeychainProtocol

@Suite("What an owner can prove now")
struct PresenceStatusTests {
    private static let statuses = [
        PresenceStatus(passcode: nil, biometry: nil, biometrySet: [1, 2, 3]),
        PresenceStatus(passcode: .noPasscode, biometry: .noBiometry),
        PresenceStatus(passcode: .nobodyToAsk, biometry: .biometryLockout, biometrySet: []),
    ]

    @Test(arguments: statuses)
    func `means the same after its trip`(status: PresenceStatus) throws {
        let bytes: Data = try WirePresenceStatus(status).serializedBytes()
        #expect(PresenceStatus(try WirePresenceStatus(serializedBytes: bytes)) == status)
    }

    @Test func `two that are equal read the same, however they were made`() {
        let texts = (0..<64).map { count in
            var factors = [PresenceFactors: PresenceStatus.Factor](minimumCapacity: count)
            for factor in [.biometry, .passcode] as [PresenceFactors] {
                factors[factor] = PresenceStatus.Factor(obstacle: .notInteractive)
            }
            return "\(PresenceStatus(factors))"
        }
        #expect(Set(texts).count == 1)
    }

    @Test(arguments: statuses)
    func `is understood from a service, and by a program, that knows of no list of factors`(
        status: PresenceStatus
    ) {
        var older = WirePresenceStatus(status)
        #expect(older.passcode.rawValue == Int(status[.passcode].obstacle?.rawValue ?? 0))
        #expect(older.biometry.rawValue == Int(status[.biometry].obstacle?.rawValue ?? 0))
        #expect(older.hasBiometrySet == (status[.biometry].enrolled != nil))
        older.factors = []
        #expect(PresenceStatus(older) == status)
    }

    @Test func `of a factor that is unknown here nothing is kept, and one that is missing cannot be asked for`() {
        var wire = WirePresenceStatus(PresenceStatus(passcode: nil, biometry: nil))
        wire.factors.removeLast()
        for number in [0, 3, 64, 256] as [UInt32] {
            var unknown = WireFactorState()
            unknown.factor = number
            wire.factors.append(unknown)
        }
        let status = PresenceStatus(wire)
        #expect(status.available == .passcode)
        #expect(status[.biometry].obstacle == .nobodyToAsk)
        #expect(status.all.map(\.factor) == [.passcode])
    }

    @Test(
        arguments: [
            (.owner, nil, .noBiometry, nil), (.owner, .noPasscode, nil, nil),
            (.owner, .noPasscode, .notEnrolled, .noPasscode),
            (.biometry, nil, .notEnrolled, .notEnrolled), (.biometry, .noPasscode, .noBiometry, .noBiometry),
            (.passcode, .nobodyToAsk, nil, .nobodyToAsk), (.impossible, nil, nil, .noCompanion),
            (.all(of: [.passcode, .biometry]), .noPasscode, .noBiometry, .noBiometry),
            (.all(of: [.passcode, .biometry]), .noPasscode, nil, .noPasscode),
            (.nothing, .noPasscode, .noBiometry, nil),
        ] as [(PresenceDemand, PresenceFailure?, PresenceFailure?, PresenceFailure?)]
    )
    func `names the obstacle to a demand`(
        demand: PresenceDemand,
        passcode: PresenceFailure?,
        biometry: PresenceFailure?,
        obstacle: PresenceFailure?
    ) {
        let status = PresenceStatus(passcode: passcode, biometry: biometry)
        #expect(status.obstacle(to: demand) == obstacle)
        #expect(status.obstacle(to: demand, beside: .all) == (demand == .impossible ? .noCompanion : nil))
    }

    @Test func `a demand has a bit for each alternative, and one with an unknown factor is none`() {
        let demands: [(PresenceDemand, UInt32)] = [
            (.nothing, 1), (.passcode, 2), (.biometry, 4), (.owner, 6), (.all(of: [.passcode, .biometry]), 8),
            (.impossible, 0),
        ]
        for (demand, bits) in demands {
            #expect(demand.bits == bits)
            #expect(PresenceDemand(bits: bits) == demand)
        }
        for bits in [1 << 31, .max] as [UInt32] { #expect(PresenceDemand(bits: bits) == nil) }
    }
}
