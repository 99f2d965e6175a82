import EtcdMessages
import EtcdTransport

/// etcd's service for users and roles.
enum Auth {
    static let enable = EtcdCluster.Method<Etcd_EmptyRequest, Etcd_HeaderResponse>("Auth", "AuthEnable")
    static let addUser = EtcdCluster.Method<Etcd_AuthUserAddRequest, Etcd_HeaderResponse>("Auth", "UserAdd")
    static let deleteUser = EtcdCluster.Method<Etcd_AuthUserDeleteRequest, Etcd_HeaderResponse>("Auth", "UserDelete")
    static let users = EtcdCluster.Method<Etcd_EmptyRequest, Etcd_AuthUserListResponse>("Auth", "UserList")
    static let grantRole = EtcdCluster.Method<Etcd_AuthUserGrantRoleRequest, Etcd_HeaderResponse>(
        "Auth",
        "UserGrantRole"
    )
    static let addRole = EtcdCluster.Method<Etcd_AuthRoleAddRequest, Etcd_HeaderResponse>("Auth", "RoleAdd")
    static let deleteRole = EtcdCluster.Method<Etcd_AuthRoleDeleteRequest, Etcd_HeaderResponse>("Auth", "RoleDelete")
    static let roles = EtcdCluster.Method<Etcd_EmptyRequest, Etcd_AuthRoleListResponse>("Auth", "RoleList")
    static let grantPermission = EtcdCluster.Method<Etcd_AuthRoleGrantPermissionRequest, Etcd_HeaderResponse>(
        "Auth",
        "RoleGrantPermission"
    )
}

/// etcd's service for how nodes are.
enum Maintenance {
    static let alarm = EtcdCluster.Method<Etcd_AlarmRequest, Etcd_AlarmResponse>("Maintenance", "Alarm")
    static let status = EtcdCluster.Method<Etcd_EmptyRequest, Etcd_StatusResponse>("Maintenance", "Status")
    static let defragment = EtcdCluster.Method<Etcd_EmptyRequest, Etcd_HeaderResponse>("Maintenance", "Defragment")
}
