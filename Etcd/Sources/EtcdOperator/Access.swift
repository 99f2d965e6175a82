import EtcdMessages
package import EtcdTransport

/// Who may use a cluster: a role for each circle, which allows its keys and no others, and a user for each device, named as its
/// certificate is.
package struct Access: Sendable {
    private let cluster: EtcdCluster

    /// etcd's name for who may do everything, and for the role of that.
    package static let administrator = "root"

    /// Of a cluster that lets in those alone whom its operator names.
    ///
    /// - Throws: `EtcdFailure` where it lets in others: each device could do everything there.
    package init(of folder: OperatorFolder) async throws {
        guard try await folder.isAccessEnabled else {
            throw EtcdFailure(
                .other,
                "the cluster lets in everybody with a certificate; first run chatelaine sync operator enable"
            )
        }
        self.init(unchecked: try folder.cluster())
    }

    /// - Parameter cluster: which may let in others as well.
    package init(unchecked cluster: EtcdCluster) {
        self.cluster = cluster
    }

    /// A device of a circle, as the cluster knows it: `CIRCLE.DEVICE.DIGITS`. The digits are its certificate's own: who was
    /// revoked stays so when another device gets the name.
    package struct User: Sendable, Equatable {
        package let circle: String
        package let device: String
        package let digits: String

        package init(circle: String, device: String, digits: String) {
            self.circle = circle
            self.device = device
            self.digits = digits
        }

        package init?(_ text: String) {
            let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 3, parts.allSatisfy(EtcdAddress.isName) else { return nil }
            self.init(circle: parts[0], device: parts[1], digits: parts[2])
        }

        package var text: String { "\(circle).\(device).\(digits)" }
    }

    // MARK: - The whole cluster

    /// From now on the cluster asks who somebody is. Once more does no harm.
    package static func enable(_ cluster: EtcdCluster) async throws(EtcdFailure) {
        do throws(EtcdFailure) {
            try await Access(unchecked: cluster).add(administrator, to: administrator)
        } catch  where isThere(error) {}
        _ = try await cluster.call(Auth.enable, Etcd_EmptyRequest())
    }

    private func add(_ user: String, to role: String) async throws(EtcdFailure) {
        var request = Etcd_AuthUserAddRequest()
        request.name = user
        // Nobody gets in with a password.
        request.options.noPassword = true
        do throws(EtcdFailure) {
            _ = try await cluster.call(Auth.addUser, request)
        } catch  where Self.isThere(error) {}
        var grant = Etcd_AuthUserGrantRoleRequest()
        grant.user = user
        grant.role = role
        _ = try await cluster.call(Auth.grantRole, grant)
    }

    private static func isThere(_ failure: EtcdFailure) -> Bool { failure.description.contains("already") }

    // MARK: - Circles

    /// Makes a circle's role.
    ///
    /// - Throws: `EtcdFailure` where it is there.
    package func addCircle(_ circle: String) async throws(EtcdFailure) {
        try EtcdAddress.check(circle, "circle")
        guard circle != Self.administrator else { throw EtcdFailure(.other, "no circle can be called \(circle)") }
        var request = Etcd_AuthRoleAddRequest()
        request.name = circle
        do throws(EtcdFailure) {
            _ = try await cluster.call(Auth.addRole, request)
        } catch  where Self.isThere(error) {
            // One that was broken off gets its permission below.
        }
        var grant = Etcd_AuthRoleGrantPermissionRequest()
        grant.name = circle
        grant.perm.kind = .readwrite
        (grant.perm.key, grant.perm.rangeEnd) = EtcdBlobs.keys(of: circle)
        _ = try await cluster.call(Auth.grantPermission, grant)
    }

    /// The circles; a role that is called otherwise is somebody else's.
    package func circles() async throws(EtcdFailure) -> [String] {
        try await cluster.call(Auth.roles, Etcd_EmptyRequest()).roles.filter {
            $0 != Self.administrator && EtcdAddress.isName($0)
        }
    }

    private func require(_ circle: String) async throws(EtcdFailure) {
        try EtcdAddress.check(circle, "circle")
        guard try await circles().contains(circle) else {
            throw EtcdFailure(
                .other,
                "there is no circle \(circle); chatelaine sync operator list names those that there are"
            )
        }
    }

    /// Removes what a circle's devices have written; they write again what they have.
    package func emptyCircle(_ circle: String) async throws(EtcdFailure) {
        try await require(circle)
        var request = Etcd_DeleteRangeRequest()
        (request.key, request.rangeEnd) = EtcdBlobs.keys(of: circle)
        _ = try await cluster.call(KV.remove, request)
    }

    /// Revokes all devices of a circle, and removes what they have written.
    package func removeCircle(_ circle: String) async throws(EtcdFailure) {
        try await require(circle)
        for user in try await devices(of: circle) { try await remove(user) }
        try await emptyCircle(circle)
        var role = Etcd_AuthRoleDeleteRequest()
        role.role = circle
        _ = try await cluster.call(Auth.deleteRole, role)
    }

    // MARK: - Devices

    /// Makes a user for a device.
    ///
    /// - Throws: `EtcdFailure` where the circle is not there, or has a device of the name.
    package func addDevice(_ device: String, to circle: String) async throws(EtcdFailure) -> User {
        try EtcdAddress.check(device, "device")
        try await require(circle)
        guard try await !devices(of: circle).contains(where: { $0.device == device }) else {
            throw EtcdFailure(
                .other,
                "the circle \(circle) has a device \(device): revoke it first, or choose another name"
            )
        }
        let user = User(circle: circle, device: device, digits: Authority.random(4))
        try await add(user.text, to: circle)
        return user
    }

    package func devices(of circle: String) async throws(EtcdFailure) -> [User] {
        try await cluster.call(Auth.users, Etcd_EmptyRequest()).users.compactMap { User($0) }.filter {
            $0.circle == circle
        }
    }

    /// Lets a device in no more, from now on and for good.
    package func revoke(_ device: String, of circle: String) async throws(EtcdFailure) {
        try await require(circle)
        let users = try await devices(of: circle).filter { $0.device == device }
        guard !users.isEmpty else { throw EtcdFailure(.other, "the circle \(circle) has no device \(device)") }
        for user in users { try await remove(user) }
    }

    package func remove(_ user: User) async throws(EtcdFailure) {
        var request = Etcd_AuthUserDeleteRequest()
        request.name = user.text
        do throws(EtcdFailure) {
            _ = try await cluster.call(Auth.deleteUser, request)
        } catch {
            // An attempt that got no answer has done it, or another operator.
            guard try await devices(of: user.circle).contains(user) else { return }
            throw error
        }
    }
}
