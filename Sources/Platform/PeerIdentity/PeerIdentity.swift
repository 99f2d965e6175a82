/// What the kernel says of the process at the other end of a connection.
package enum PeerIdentity {}
