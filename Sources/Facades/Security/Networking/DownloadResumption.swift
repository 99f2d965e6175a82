/// The key in an error's dictionary of the data by which a download is resumed. Foundation on Linux has it without the
/// first two letters.
///
/// See [NSURLSessionDownloadTaskResumeData](https://developer.apple.com/documentation/foundation/nsurlsessiondownloadtaskresumedata).
public let NSURLSessionDownloadTaskResumeData = "NSURLSessionDownloadTaskResumeData"
