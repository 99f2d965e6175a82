// A layer between SQLite and the disk that fails when it is told to.
#ifndef CHATELAINE_CFAULTVFS_H
#define CHATELAINE_CFAULTVFS_H

#include <stdbool.h>

/// What can fail; several may be added up.
enum cfault_kind {
    CFAULT_READ = 1,
    CFAULT_WRITE = 2,
    CFAULT_SYNC = 4,
    CFAULT_TRUNCATE = 8,
    CFAULT_OPEN = 16,
    /// The readers' shared memory.
    CFAULT_MEMORY = 32,
    /// A write of which half happens.
    CFAULT_SHORT_WRITE = 64,
};

/// Puts the layer over SQLite's default VFS, for the whole process. Files that are not watched go past it.
int cfault_install(void);

/// Watches the files whose path starts with a folder, if they are opened from now on. One folder at a time.
void cfault_watch(const char *folder);

/// Makes the n-th operation of some kinds fail, counted from now, with an error of SQLite's.
///
/// - Parameter forever: whether all later ones fail, too.
void cfault_arm(unsigned kinds, int n, int code, bool forever);

/// Ends that.
///
/// - Returns: how many operations of these kinds there were.
int cfault_disarm(void);

#endif
