#include "CSQLite.h"

#include <sqlite3.h>

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
