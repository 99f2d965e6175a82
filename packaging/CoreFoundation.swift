// A module to find before the toolchain's CoreFoundation, whose opaque types make those of Security ambiguous.
@_exported import CoreFoundationAliases
