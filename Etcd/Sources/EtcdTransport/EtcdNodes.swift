import GRPCCore
import GRPCNIOTransportHTTP2Posix
import Glibc

/// A cluster's nodes, each an endpoint of its own, so that calls go round.
struct EtcdNodes: ResolvableTarget {
    let nodes: [EtcdAddress.Node]

    struct Resolver: NameResolverFactory {
        func resolver(for target: EtcdNodes) -> NameResolver {
            NameResolver(names: RPCAsyncSequence(wrapping: Lookups(nodes: target.nodes)), updateMode: .pull)
        }
    }

    private struct Lookups: AsyncSequence {
        let nodes: [EtcdAddress.Node]

        func makeAsyncIterator() -> Iterator { Iterator(nodes: nodes) }

        struct Iterator: AsyncIteratorProtocol {
            let nodes: [EtcdAddress.Node]

            func next() async throws -> NameResolutionResult? {
                let nodes = nodes
                // A name server may keep a thread waiting.
                let endpoints = await Task.detached { nodes.compactMap(EtcdNodes.endpoint) }.value
                guard !endpoints.isEmpty else {
                    throw RPCError(code: .unavailable, message: "no node's name has an address")
                }
                return NameResolutionResult(endpoints: endpoints, serviceConfig: nil)
            }
        }
    }

    /// - Returns: nil for a name without an address.
    private static func endpoint(_ node: EtcdAddress.Node) -> Endpoint? {
        var hints = unsafe addrinfo()
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        guard unsafe getaddrinfo(node.host, nil, &hints, &found) == 0 else { return nil }
        defer { unsafe freeaddrinfo(found) }
        var addresses: [SocketAddress] = []
        var next = unsafe found
        while let info = unsafe next {
            var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            let result = unsafe getnameinfo(
                info.pointee.ai_addr,
                info.pointee.ai_addrlen,
                &host,
                socklen_t(host.count),
                nil,
                0,
                NI_NUMERICHOST
            )
            if result == 0 {
                let text = String(decoding: host.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
                switch unsafe info.pointee.ai_family {
                case AF_INET: addresses.append(.ipv4(host: text, port: Int(node.port)))
                case AF_INET6: addresses.append(.ipv6(host: text, port: Int(node.port)))
                default: break
                }
            }
            unsafe next = info.pointee.ai_next
        }
        return addresses.isEmpty ? nil : Endpoint(addresses: addresses)
    }
}
