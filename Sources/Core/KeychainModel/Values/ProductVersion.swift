/// The version of this product, of all its programs.
package enum ProductVersion {
    package static let current = "0.2.0"
}
