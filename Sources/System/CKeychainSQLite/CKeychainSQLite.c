#include "CKeychainSQLite.h"

#include <sqlite3.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

int csqlite_harden(struct sqlite3 *connection) {
    static const struct {
        int option;
        int value;
    } settings[] = {
        {SQLITE_DBCONFIG_DEFENSIVE, 1},
        {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
        {SQLITE_DBCONFIG_DQS_DDL, 0},
        {SQLITE_DBCONFIG_DQS_DML, 0},
        {SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1},
        {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
        {SQLITE_DBCONFIG_ENABLE_VIEW, 0},
    };
    for (unsigned index = 0; index < sizeof settings / sizeof settings[0]; index++) {
        int result = sqlite3_db_config(connection, settings[index].option, settings[index].value, (int *)0);
        if (result != SQLITE_OK) {
            return result;
        }
    }
    return SQLITE_OK;
}

const void *csqlite_column_bytes(struct sqlite3_stmt *statement, int column, int *count) {
    const void *bytes = sqlite3_column_blob(statement, column);
    *count = bytes ? sqlite3_column_bytes(statement, column) : 0;
    return bytes;
}

bool csqlite_column_integer(struct sqlite3_stmt *statement, int column, int64_t *value) {
    if (sqlite3_column_type(statement, column) != SQLITE_INTEGER) {
        return false;
    }
    *value = sqlite3_column_int64(statement, column);
    return true;
}

bool csqlite_column_is_null(struct sqlite3_stmt *statement, int column) {
    return sqlite3_column_type(statement, column) == SQLITE_NULL;
}

// MARK: - The journal

// https://www.sqlite.org/fileformat2.html, sections 1.6 (b-tree pages) and 4.1 (the journal).

static const sqlite3_int64 journal_header_size = 32, frame_header_size = 24;

static uint32_t number(const unsigned char *bytes, int count) {
    uint32_t value = 0;
    for (int index = 0; index < count; index++) {
        value = value << 8 | bytes[index];
    }
    return value;
}

struct pages {
    uint32_t size;
    size_t count;
    uint32_t *numbers;
};

static int ascending(const void *left, const void *right) {
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

// The pages that are in the journal, each once, in their order.
static int pages_in_journal(sqlite3_file *journal, struct pages *pages) {
    sqlite3_int64 size = 0;
    if (journal == NULL || journal->pMethods == NULL) {
        return SQLITE_OK;
    }
    int result = journal->pMethods->xFileSize(journal, &size);
    if (result != SQLITE_OK || size <= journal_header_size) {
        return result;
    }
    unsigned char bytes[12];
    result = journal->pMethods->xRead(journal, bytes, sizeof bytes, 0);
    if (result != SQLITE_OK) {
        return result;
    }
    pages->size = number(bytes + 8, 4);
    if (pages->size < 512 || pages->size > 65536) {
        return SQLITE_CORRUPT;
    }
    sqlite3_int64 frame = frame_header_size + pages->size;
    size_t frames = (size_t)((size - journal_header_size) / frame);
    pages->numbers = sqlite3_malloc64((frames + 1) * sizeof *pages->numbers);
    if (pages->numbers == NULL) {
        return SQLITE_NOMEM;
    }
    for (size_t index = 0; index < frames; index++) {
        result = journal->pMethods->xRead(journal, bytes, 4, journal_header_size + (sqlite3_int64)index * frame);
        if (result != SQLITE_OK) {
            return result;
        }
        pages->numbers[index] = number(bytes, 4);
    }
    qsort(pages->numbers, frames, sizeof *pages->numbers, ascending);
    for (size_t index = 0; index < frames; index++) {
        uint32_t page = pages->numbers[index];
        if (page > 0 && (pages->count == 0 || pages->numbers[pages->count - 1] != page)) {
            pages->numbers[pages->count++] = page;
        }
    }
    return SQLITE_OK;
}

// The place between the pointers to a page's cells and the cells; false where the page has no cells.
static bool gap(const unsigned char *page, const struct pages *pages, bool is_first, size_t *begin, size_t *end) {
    size_t header = is_first ? 100 : 0;
    size_t size;
    switch (page[header]) {
    case 2:
    case 5: size = 12; break;
    case 10:
    case 13: size = 8; break;
    default: return false;
    }
    *begin = header + size + 2 * (size_t)number(page + header + 3, 2);
    *end = number(page + header + 5, 2);
    if (*end == 0) {
        *end = 65536;
    }
    return *begin < *end && *end <= pages->size;
}

static int overwrite_gaps(sqlite3_file *file, const struct pages *pages, size_t *overwritten) {
    unsigned char *page = sqlite3_malloc64(pages->size);
    if (page == NULL) {
        return SQLITE_NOMEM;
    }
    int result = SQLITE_OK;
    for (size_t index = 0; index < pages->count && result == SQLITE_OK; index++) {
        sqlite3_int64 offset = (sqlite3_int64)(pages->numbers[index] - 1) * pages->size;
        result = file->pMethods->xRead(file, page, (int)pages->size, offset);
        if (result == SQLITE_IOERR_SHORT_READ) {
            // The database has become shorter since.
            result = SQLITE_OK;
            continue;
        }
        size_t begin, end;
        if (result != SQLITE_OK || !gap(page, pages, pages->numbers[index] == 1, &begin, &end)) {
            continue;
        }
        bool is_empty = true;
        for (size_t place = begin; place < end && is_empty; place++) {
            is_empty = page[place] == 0;
        }
        if (!is_empty) {
            memset(page + begin, 0, end - begin);
            result = file->pMethods->xWrite(file, page + begin, (int)(end - begin), offset + (sqlite3_int64)begin);
            ++*overwritten;
        }
    }
    sqlite3_free(page);
    return result;
}

int csqlite_checkpoint_and_scrub(sqlite3 *connection) {
    sqlite3_file *journal = NULL, *file = NULL;
    struct pages pages = {0};
    size_t overwritten = 0;
    // By SQLite's own descriptors: closing another one of the same file would drop its locks.
    int result = sqlite3_file_control(connection, "main", SQLITE_FCNTL_JOURNAL_POINTER, &journal);
    if (result == SQLITE_OK) {
        result = sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &file);
    }
    if (result == SQLITE_OK) {
        result = pages_in_journal(journal, &pages);
    }
    if (result == SQLITE_OK) {
        result = sqlite3_wal_checkpoint_v2(connection, "main", SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
    }
    if (result == SQLITE_OK && pages.count > 0 && file != NULL && file->pMethods != NULL) {
        result = overwrite_gaps(file, &pages, &overwritten);
        if (overwritten > 0) {
            int synchronized = file->pMethods->xSync(file, SQLITE_SYNC_NORMAL);
            result = result == SQLITE_OK ? synchronized : result;
            // Pages in memory have the copies still, and would be written with them.
            sqlite3_db_release_memory(connection);
        }
    }
    sqlite3_free(pages.numbers);
    return result;
}
