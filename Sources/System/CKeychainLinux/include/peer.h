// What the kernel says of the process at the other end of a socket.
#ifndef CHATELAINE_CLINUX_PEER_H
#define CHATELAINE_CLINUX_PEER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// O_PATH, which Swift does not see.
extern const int clinux_open_path;

/// How many descriptors a chunk can bring at most; with more it counts as truncated.
#define CLINUX_CHUNK_DESCRIPTORS 4

/// What came with the bytes of one recvmsg(2).
struct clinux_chunk {
    /// SCM_CREDENTIALS: who sent these bytes. Only where the socket, or the listener that it came from, has SO_PASSCRED.
    bool has_credentials;
    /// In the receiver's namespace; 0 for a process outside it.
    int32_t pid;
    uint32_t uid;
    uint32_t gid;
    /// Something came that had no room or that could not be given to this process (MSG_CTRUNC).
    bool truncated;
    int32_t descriptor_count;
    /// Owned by the receiver.
    int32_t descriptors[CLINUX_CHUNK_DESCRIPTORS];
};

/// recvmsg(2) with MSG_CMSG_CLOEXEC. The chunk is filled in whatever comes back.
ssize_t clinux_receive(int socket, void *bytes, size_t count, int flags, struct clinux_chunk *chunk);
/// The same for a socket of somebody who passes no descriptors, or whose descriptors are a sign and nothing else. None
/// becomes this process's: that one came shows as `truncated`. Closing a descriptor of a stranger's can wait for ever, as
/// for a file system in user space that never answers; what the kernel drops on its way waits for nobody.
///
/// - Parameter has_credentials: whether the socket has SO_PASSCRED: there is room for what that brings, and no more.
ssize_t clinux_receive_without_descriptors(
    int socket, void *bytes, size_t count, int flags, bool has_credentials, struct clinux_chunk *chunk);
/// One of the chunk's descriptors, taken out of it; -1 if there is none.
int clinux_chunk_take(struct clinux_chunk *chunk, int32_t index);
/// Closes all descriptors that were not taken.
void clinux_chunk_close(struct clinux_chunk *chunk);

/// Whether exactly so many bytes wait to be read, and the message that the last of them belongs to came with descriptors.
/// They stay where they are.
bool clinux_ends_with_descriptor(int socket, int count);

/// sendmsg(2) of one message with descriptors (at most CLINUX_CHUNK_DESCRIPTORS), without SIGPIPE.
ssize_t clinux_send(int socket, const void *bytes, size_t count, const int *descriptors, int32_t descriptor_count, int flags);

/// SO_PEERCRED.
bool clinux_peer_credentials(int socket, int32_t *pid, uint32_t *uid, uint32_t *gid);
/// SO_COOKIE: a number that the kernel gives no other socket while it runs.
bool clinux_socket_cookie(int socket, uint64_t *cookie);
/// SO_PASSCRED.
bool clinux_pass_credentials(int socket);

/// A pidfd of the process that connected or listened, taken when it did so (SO_PEERPIDFD). Kernels before 6.5 do not
/// know it: there the process with the pid of SO_PEERCRED is opened. -1 with errno.
int clinux_peer_process(int socket);
int clinux_pidfd_open(pid_t pid);
/// Whether the process still runs (a zombie does not). errno is of no use.
bool clinux_pidfd_is_alive(int pidfd);

struct clinux_process_ids {
    int32_t pid;
    uint32_t uid, effective_uid, saved_uid, file_system_uid;
    uint32_t gid, effective_gid, saved_gid, file_system_gid;
};

/// The ids of a process by its pidfd, which needs no right over it (PIDFD_GET_INFO). False with errno ENOTTY or EINVAL
/// before Linux 6.13.
bool clinux_pidfd_ids(int pidfd, struct clinux_process_ids *ids);

/// Who made the outermost user namespace that a process is in below a given one (ioctl_ns(2)): whoever nests namespaces
/// stays who they are.
///
/// - folder: of the process, in /proc.
/// - device, inode: of the given namespace, as stat(2) gives them.
/// - uid: as this process's own namespace names it.
///
/// False where it cannot be told, or the process is in the given namespace itself.
bool clinux_namespace_owner(int folder, uint64_t device, uint64_t inode, uint32_t *uid);

struct clinux_file {
    /// As in stat(2).
    uint64_t device, inode, size;
    /// Reused once the mount is gone, as in mountinfo.
    uint64_t mount;
    /// Never reused while the system runs; 0 before Linux 6.8.
    uint64_t unique_mount;
    uint32_t mode, uid, gid;
    int64_t change_seconds;
    uint32_t change_nanoseconds;
};

/// statx(2) without asking a remote or user-space file system anything (AT_STATX_DONT_SYNC). An empty
/// path stands for the descriptor itself. 0, or an errno.
int clinux_stat(int folder, const char *path, int flags, struct clinux_file *file);

/// Whether a descriptor is of a file of the kernel's /proc.
bool clinux_is_of_proc(int descriptor);

/// Who has opened the end at the port `from` of 127.0.0.1 of an established connection to the port `to` of 127.0.0.1
/// (sock_diag(7)). The user is the one of the process's own namespace. 0; ENOENT where there is no such connection any more;
/// another errno where the kernel does not tell.
int clinux_loopback_owner(uint16_t from, uint16_t to, uint32_t *uid);

#endif
