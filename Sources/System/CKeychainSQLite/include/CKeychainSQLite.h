// SQLite's variadic calls, which Swift cannot make, and its calls for the columns of a row.
#ifndef CHATELAINE_CSQLITE_H
#define CHATELAINE_CSQLITE_H

#include <stdbool.h>
#include <stdint.h>

struct sqlite3;
struct sqlite3_stmt;

/// Makes a connection distrust the file that it opens (https://www.sqlite.org/security.html): functions in the schema
/// may not have side effects, the schema cannot be edited by SQL, and double quotes never mean strings.
///
/// It also forbids the checkpoint at closing: all checkpoints of a keychain happen under its writer's lock.
///
/// - Returns: SQLITE_OK, or the first error.
int csqlite_harden(struct sqlite3 *connection);

/// Lends the bytes of a column of the current row, until the statement's next step or the column's next reading.
///
/// - Returns: NULL where the column is NULL or empty; then the count is 0.
const void *csqlite_column_bytes(struct sqlite3_stmt *statement, int column, int *count);

/// - Returns: whether a column of the current row holds a number, which then is in `value`.
bool csqlite_column_integer(struct sqlite3_stmt *statement, int column, int64_t *value);

/// - Returns: whether a column of the current row holds nothing.
bool csqlite_column_is_null(struct sqlite3_stmt *statement, int column);

/// Writes a journal back into the database, truncates it, and overwrites in the pages that were written what lies between
/// their cells: there SQLite leaves copies of cells that it has moved, `secure_delete` or not, and a copy outlives its cell.
/// The caller keeps others from writing and checkpointing meanwhile.
///
/// - Returns: SQLITE_OK; SQLITE_BUSY where a reader stands in the way; else the first error.
int csqlite_checkpoint_and_scrub(struct sqlite3 *connection);

#endif
