// Whoever imports Security on Apple's platforms can name CFString, CFDictionary and OSStatus without another import.
@_exported public import CoreFoundationAliases
