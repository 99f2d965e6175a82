import Foundation

/// The least that a durable write costs: 4 KiB appended to a file, and one `fdatasync`.
public final class AppendFloor {
    private let path: String
    private let place: TemporaryFolder
    private let descriptor: Int32
    private let page = [UInt8](repeating: 7, count: 4096)

    public init(in folder: URL) throws {
        place = try TemporaryFolder("floor", in: folder)
        path = place.url.appending(path: "pages").path
        descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Failure("\(path) cannot be created") }
    }

    deinit {
        close(descriptor)
    }

    public func append() throws {
        guard write(descriptor, page, page.count) == page.count, fdatasync(descriptor) == 0 else {
            throw Failure("\(path) cannot be written")
        }
    }
}
