// On Apple's platforms a file that imports LocalAuthentication alone can also name NSError, Data and the keychain.
@_exported public import Foundation
@_exported public import Security
