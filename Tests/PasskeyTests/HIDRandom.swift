/// Numbers that are the same for the same seed: a counter, mixed.
struct HIDRandom: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state = state &* 0x5851_F42D_4C95_7F2D &+ 0x1405_7B7E_F767_814F
        var mixed = state
        mixed ^= mixed >> 29
        mixed = mixed &* 0x2545_F491_4F6C_DD1D
        return mixed ^ mixed >> 32
    }
}
