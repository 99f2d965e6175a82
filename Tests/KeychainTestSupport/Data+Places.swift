package import Foundation
import Glibc

extension Data {
    /// Where some bytes stand, as distances from the beginning; places that overlap count once.
    ///
    /// By functions of the C library, which are quick also where nothing of ours is optimised.
    package func places(of needle: some Collection<UInt8>) -> [Int] {
        let needle = Array(needle)
        guard let first = needle.first else { return [] }
        return unsafe withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else { return [] }
            var places: [Int] = []
            var next = 0
            while next + needle.count <= bytes.count,
                let found = unsafe memchr(start + next, Int32(first), bytes.count - needle.count + 1 - next)
            {
                next = unsafe UnsafeRawPointer(found) - start
                guard unsafe memcmp(found, needle, needle.count) == 0 else {
                    next += 1
                    continue
                }
                places.append(next)
                next += needle.count
            }
            return places
        }
    }

    package func contains(bytes needle: some Collection<UInt8>) -> Bool { !places(of: needle).isEmpty }
}
