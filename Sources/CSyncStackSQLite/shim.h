// The system's SQLite, and inline forms of its variadic functions, which Swift cannot call.
#ifndef SYNCSTACK_SQLITE_SHIM_H
#define SYNCSTACK_SQLITE_SHIM_H

#include <sqlite3.h>

/// Switches a boolean connection option on or off (sqlite.org/c3ref/db_config.html).
static inline int syncstack_sqlite3_db_config(sqlite3 *connection, int option, int value) {
  return sqlite3_db_config(connection, option, value, (int *)0);
}

/// Sets the pages that a sort has at least at a time, in the whole process; only before SQLite is first used
/// (sqlite.org/c3ref/config.html).
static inline int syncstack_sqlite3_config_sorter(unsigned int pages) {
  return sqlite3_config(SQLITE_CONFIG_PMASZ, pages);
}

#endif
