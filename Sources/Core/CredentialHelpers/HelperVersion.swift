/// What helpers say of themselves.
package enum HelperVersion {
    package static let number = "0.2.0"
}
