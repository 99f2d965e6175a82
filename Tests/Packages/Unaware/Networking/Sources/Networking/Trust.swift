import Foundation

// What is here once for platforms with Security, and once for Linux, is twice where both are true.
#if canImport(Security)
public let networkingSees = "Security"

public func trustEvaluators() -> Int { [NSURLAuthenticationMethodServerTrust].count }
public func resumed(_ error: NSError) -> Data? { error.userInfo[NSURLSessionDownloadTaskResumeData] as? Data }
#else
public let networkingSees = "no Security"
#endif
