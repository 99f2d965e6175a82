#if canImport(Security)
import SwiftUI

public let stateSees = "Security"
#else
public let stateSees = "no Security"
#endif
