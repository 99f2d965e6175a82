/// Names of the Secret Service API (https://specifications.freedesktop.org/secret-service-spec/latest/).
package enum SecretInterface {
    package static let name = "org.freedesktop.secrets"
    package static let service = "org.freedesktop.Secret.Service"
    package static let collection = "org.freedesktop.Secret.Collection"
    static let item = "org.freedesktop.Secret.Item"
    static let session = "org.freedesktop.Secret.Session"
    static let prompt = "org.freedesktop.Secret.Prompt"
    package static let properties = "org.freedesktop.DBus.Properties"
    static let introspectable = "org.freedesktop.DBus.Introspectable"
}
