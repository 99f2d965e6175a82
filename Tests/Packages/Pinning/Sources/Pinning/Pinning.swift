import Dispatch
import Foundation

#if canImport(FoundationNetworking)
@_exported import FoundationNetworking
#endif

/// What the library was built with.
public let hasPinning: Bool = {
    #if canImport(Security)
    return true
    #else
    return false
    #endif
}()
