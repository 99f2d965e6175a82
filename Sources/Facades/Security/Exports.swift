// Code that imports Security on Apple's platforms can name CFString, CFDictionary and OSStatus without another import.
@_exported public import CoreFoundationAliases
// Where certificates are and why they are in a module of their own: docs/decisions/0011.
@_exported public import SecurityObjects
