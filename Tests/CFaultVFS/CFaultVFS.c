#include "CFaultVFS.h"

#include <pthread.h>
#include <sqlite3.h>
#include <string.h>

// https://www.sqlite.org/vfs.html. The file of the layer below stands behind ours in one piece of memory.
struct file {
    sqlite3_file base;
    sqlite3_file *below;
};

static sqlite3_vfs *original;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static char watched[4096];
static unsigned armed_kinds;
static int countdown, error_code, count;
static bool fails_forever;

static struct sqlite3_file *below(sqlite3_file *file) { return ((struct file *)file)->below; }

/// The error for this operation, or SQLITE_OK.
static int fault(unsigned kind) {
    int result = SQLITE_OK;
    pthread_mutex_lock(&mutex);
    if (armed_kinds & kind) {
        count++;
        if (count == countdown || (fails_forever && count > countdown)) {
            result = error_code;
        }
    }
    pthread_mutex_unlock(&mutex);
    return result;
}

static int file_close(sqlite3_file *file) { return below(file)->pMethods->xClose(below(file)); }

static int file_read(sqlite3_file *file, void *buffer, int size, sqlite3_int64 offset) {
    int result = fault(CFAULT_READ);
    return result ? result : below(file)->pMethods->xRead(below(file), buffer, size, offset);
}

static int file_write(sqlite3_file *file, const void *buffer, int size, sqlite3_int64 offset) {
    int result = fault(CFAULT_WRITE);
    if (result) {
        return result;
    }
    result = fault(CFAULT_SHORT_WRITE);
    if (result) {
        below(file)->pMethods->xWrite(below(file), buffer, size / 2, offset);
        return result;
    }
    return below(file)->pMethods->xWrite(below(file), buffer, size, offset);
}

static int file_truncate(sqlite3_file *file, sqlite3_int64 size) {
    int result = fault(CFAULT_TRUNCATE);
    return result ? result : below(file)->pMethods->xTruncate(below(file), size);
}

static int file_sync(sqlite3_file *file, int flags) {
    int result = fault(CFAULT_SYNC);
    return result ? result : below(file)->pMethods->xSync(below(file), flags);
}

static int file_size(sqlite3_file *file, sqlite3_int64 *size) {
    return below(file)->pMethods->xFileSize(below(file), size);
}

static int file_lock(sqlite3_file *file, int level) { return below(file)->pMethods->xLock(below(file), level); }

static int file_unlock(sqlite3_file *file, int level) { return below(file)->pMethods->xUnlock(below(file), level); }

static int file_check_lock(sqlite3_file *file, int *result) {
    return below(file)->pMethods->xCheckReservedLock(below(file), result);
}

static int file_control(sqlite3_file *file, int operation, void *argument) {
    return below(file)->pMethods->xFileControl(below(file), operation, argument);
}

static int file_sector_size(sqlite3_file *file) { return below(file)->pMethods->xSectorSize(below(file)); }

static int file_characteristics(sqlite3_file *file) {
    return below(file)->pMethods->xDeviceCharacteristics(below(file));
}

static int file_memory_map(sqlite3_file *file, int region, int size, int extend, void volatile **memory) {
    int result = fault(CFAULT_MEMORY);
    return result ? result : below(file)->pMethods->xShmMap(below(file), region, size, extend, memory);
}

static int file_memory_lock(sqlite3_file *file, int offset, int n, int flags) {
    return below(file)->pMethods->xShmLock(below(file), offset, n, flags);
}

static void file_memory_barrier(sqlite3_file *file) { below(file)->pMethods->xShmBarrier(below(file)); }

static int file_memory_unmap(sqlite3_file *file, int delete) {
    return below(file)->pMethods->xShmUnmap(below(file), delete);
}

static const sqlite3_io_methods methods = {
    .iVersion = 2,
    .xClose = file_close,
    .xRead = file_read,
    .xWrite = file_write,
    .xTruncate = file_truncate,
    .xSync = file_sync,
    .xFileSize = file_size,
    .xLock = file_lock,
    .xUnlock = file_unlock,
    .xCheckReservedLock = file_check_lock,
    .xFileControl = file_control,
    .xSectorSize = file_sector_size,
    .xDeviceCharacteristics = file_characteristics,
    .xShmMap = file_memory_map,
    .xShmLock = file_memory_lock,
    .xShmBarrier = file_memory_barrier,
    .xShmUnmap = file_memory_unmap,
};

static int vfs_open(sqlite3_vfs *vfs, sqlite3_filename name, sqlite3_file *file, int flags, int *result_flags) {
    (void)vfs;
    pthread_mutex_lock(&mutex);
    bool is_watched = name && watched[0] && strncmp(name, watched, strlen(watched)) == 0;
    pthread_mutex_unlock(&mutex);
    if (!is_watched) {
        return original->xOpen(original, name, file, flags, result_flags);
    }
    file->pMethods = NULL;
    int result = fault(CFAULT_OPEN);
    if (result) {
        return result;
    }
    struct file *own = (struct file *)file;
    own->below = (sqlite3_file *)(own + 1);
    result = original->xOpen(original, name, own->below, flags, result_flags);
    file->pMethods = own->below->pMethods ? &methods : NULL;
    return result;
}

int cfault_install(void) {
    static sqlite3_vfs layer;
    pthread_mutex_lock(&mutex);
    bool is_new = !original;
    if (is_new) {
        original = sqlite3_vfs_find(NULL);
        layer = *original;
        layer.zName = "fault";
        layer.szOsFile = original->szOsFile + (int)sizeof(struct file);
        layer.xOpen = vfs_open;
        layer.pNext = NULL;
    }
    pthread_mutex_unlock(&mutex);
    return is_new ? sqlite3_vfs_register(&layer, 1) : SQLITE_OK;
}

void cfault_watch(const char *folder) {
    pthread_mutex_lock(&mutex);
    strncpy(watched, folder, sizeof watched - 1);
    pthread_mutex_unlock(&mutex);
}

void cfault_arm(unsigned kinds, int n, int code, bool forever) {
    pthread_mutex_lock(&mutex);
    armed_kinds = kinds;
    countdown = n;
    error_code = code;
    fails_forever = forever;
    count = 0;
    pthread_mutex_unlock(&mutex);
}

int cfault_disarm(void) {
    pthread_mutex_lock(&mutex);
    armed_kinds = 0;
    int result = count;
    pthread_mutex_unlock(&mutex);
    return result;
}
