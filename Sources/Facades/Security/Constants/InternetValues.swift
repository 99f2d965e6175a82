public import CoreFoundationAliases
public import Foundation

// The names and values are Apple's: stored data, tests and other languages use the values literally.
// They are `nonisolated(unsafe)` because `NSString` is not Sendable; none of these strings ever changes.

// MARK: Protocols (trailing blanks are part of the values)

/// FTP.
@safe nonisolated(unsafe) public let kSecAttrProtocolFTP: CFString = "ftp "

/// An account of an FTP client.
@safe nonisolated(unsafe) public let kSecAttrProtocolFTPAccount: CFString = "ftpa"

/// HTTP.
@safe nonisolated(unsafe) public let kSecAttrProtocolHTTP: CFString = "http"

/// IRC.
@safe nonisolated(unsafe) public let kSecAttrProtocolIRC: CFString = "irc "

/// NNTP.
@safe nonisolated(unsafe) public let kSecAttrProtocolNNTP: CFString = "nntp"

/// POP3.
@safe nonisolated(unsafe) public let kSecAttrProtocolPOP3: CFString = "pop3"

/// SMTP.
@safe nonisolated(unsafe) public let kSecAttrProtocolSMTP: CFString = "smtp"

/// SOCKS.
@safe nonisolated(unsafe) public let kSecAttrProtocolSOCKS: CFString = "sox "

/// IMAP.
@safe nonisolated(unsafe) public let kSecAttrProtocolIMAP: CFString = "imap"

/// LDAP.
@safe nonisolated(unsafe) public let kSecAttrProtocolLDAP: CFString = "ldap"

/// AFP over AppleTalk.
@safe nonisolated(unsafe) public let kSecAttrProtocolAppleTalk: CFString = "atlk"

/// AFP over TCP.
@safe nonisolated(unsafe) public let kSecAttrProtocolAFP: CFString = "afp "

/// Telnet.
@safe nonisolated(unsafe) public let kSecAttrProtocolTelnet: CFString = "teln"

/// SSH.
@safe nonisolated(unsafe) public let kSecAttrProtocolSSH: CFString = "ssh "

/// FTP over TLS.
@safe nonisolated(unsafe) public let kSecAttrProtocolFTPS: CFString = "ftps"

/// HTTP over TLS.
@safe nonisolated(unsafe) public let kSecAttrProtocolHTTPS: CFString = "htps"

/// An HTTP proxy.
@safe nonisolated(unsafe) public let kSecAttrProtocolHTTPProxy: CFString = "htpx"

/// An HTTPS proxy.
@safe nonisolated(unsafe) public let kSecAttrProtocolHTTPSProxy: CFString = "htsx"

/// An FTP proxy.
@safe nonisolated(unsafe) public let kSecAttrProtocolFTPProxy: CFString = "ftpx"

/// SMB.
@safe nonisolated(unsafe) public let kSecAttrProtocolSMB: CFString = "smb "

/// RTSP.
@safe nonisolated(unsafe) public let kSecAttrProtocolRTSP: CFString = "rtsp"

/// An RTSP proxy.
@safe nonisolated(unsafe) public let kSecAttrProtocolRTSPProxy: CFString = "rtsx"

/// DAAP.
@safe nonisolated(unsafe) public let kSecAttrProtocolDAAP: CFString = "daap"

/// Remote Apple events.
@safe nonisolated(unsafe) public let kSecAttrProtocolEPPC: CFString = "eppc"

/// IPP.
@safe nonisolated(unsafe) public let kSecAttrProtocolIPP: CFString = "ipp "

/// NNTP over TLS.
@safe nonisolated(unsafe) public let kSecAttrProtocolNNTPS: CFString = "ntps"

/// LDAP over TLS.
@safe nonisolated(unsafe) public let kSecAttrProtocolLDAPS: CFString = "ldps"

/// Telnet over TLS.
@safe nonisolated(unsafe) public let kSecAttrProtocolTelnetS: CFString = "tels"

/// IMAP over TLS.
@safe nonisolated(unsafe) public let kSecAttrProtocolIMAPS: CFString = "imps"

/// IRC over TLS.
@safe nonisolated(unsafe) public let kSecAttrProtocolIRCS: CFString = "ircs"

/// POP3 over TLS.
@safe nonisolated(unsafe) public let kSecAttrProtocolPOP3S: CFString = "pops"

// MARK: Authentication types

/// Windows NT LAN Manager.
@safe nonisolated(unsafe) public let kSecAttrAuthenticationTypeNTLM: CFString = "ntlm"

/// Microsoft Network.
@safe nonisolated(unsafe) public let kSecAttrAuthenticationTypeMSN: CFString = "msna"

/// Distributed Password Authentication.
@safe nonisolated(unsafe) public let kSecAttrAuthenticationTypeDPA: CFString = "dpaa"

/// Remote Password Authentication.
@safe nonisolated(unsafe) public let kSecAttrAuthenticationTypeRPA: CFString = "rpaa"

/// The Basic scheme of HTTP.
@safe nonisolated(unsafe) public let kSecAttrAuthenticationTypeHTTPBasic: CFString = "http"

/// The Digest scheme of HTTP.
@safe nonisolated(unsafe) public let kSecAttrAuthenticationTypeHTTPDigest: CFString = "httd"

/// A form on a page.
@safe nonisolated(unsafe) public let kSecAttrAuthenticationTypeHTMLForm: CFString = "form"

/// The usual way of the protocol.
@safe nonisolated(unsafe) public let kSecAttrAuthenticationTypeDefault: CFString = "dflt"
