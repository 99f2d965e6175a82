/// The version of the service, as it tells it to clients.
package enum ServiceVersion {
    package static let current = "0.2.0"
}
