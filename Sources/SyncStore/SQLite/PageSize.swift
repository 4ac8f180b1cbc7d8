import CSyncStackSQLite

/// How large the pages of new files are: twice the size that SQLite takes by itself, so that an
/// import writes half as many, and balances them half as often.
///
/// While SQLite builds an index it sorts at least 250 pages of entries at a time, and nothing stops
/// it meanwhile. A sync that is cancelled can wait for a megabyte. So pages are larger only where
/// SQLite takes half as many (https://www.sqlite.org/c3ref/c_config_covering_index_scan.html,
/// SQLITE_CONFIG_PMASZ), which it lets itself be told before it is first used in a process. For
/// others in it that changes sorts over connections with a cache of less than a megabyte, which
/// merge more pieces. SQLite may not be in use elsewhere during the call; it sets one number, which
/// is read when something is sorted. A file keeps the size it was made with.
enum PageSize {
  /// SQLite's own.
  static let usual = 4096

  private static let large = 8192

  /// Bytes of entries that are sorted at a time.
  static let sorted = 1 << 20

  /// The page size of new files. To be asked before the first connection is opened.
  static let ofNewFiles =
    syncstack_sqlite3_config_sorter(UInt32(sorted / large)) == SQLITE_OK ? large : usual
}
