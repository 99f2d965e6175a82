package import EtcdMessages

/// etcd's service for keys and values.
package enum KV {
    package static let range = EtcdCluster.Method<Etcd_RangeRequest, Etcd_RangeResponse>("KV", "Range")
    package static let put = EtcdCluster.Method<Etcd_PutRequest, Etcd_PutResponse>("KV", "Put")
    package static let remove = EtcdCluster.Method<Etcd_DeleteRangeRequest, Etcd_DeleteRangeResponse>(
        "KV",
        "DeleteRange"
    )
    /// What it answers has no values.
    package static let change = EtcdCluster.Method<Etcd_TxnRequest, Etcd_TxnResponse>(
        "KV",
        "Txn",
        largestAnswer: 64 << 10
    )
    package static let compact = EtcdCluster.Method<Etcd_CompactionRequest, Etcd_CompactionResponse>("KV", "Compact")
}
