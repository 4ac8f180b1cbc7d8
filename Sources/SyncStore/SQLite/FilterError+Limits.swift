import CSyncStackSQLite
import SyncCore

extension FilterError {
  /// The limit of SQLite that a statement met, as the error of the filter that it was made of; nil
  /// when it failed in another way.
  ///
  /// Only filters make statements whose size depends on a user. SQLite has no codes for its limits,
  /// only messages (https://www.sqlite.org/limits.html).
  init?(limitIn connection: OpaquePointer, _ code: Int32) {
    guard code & 0xff == SQLITE_ERROR || code & 0xff == SQLITE_TOOBIG,
      let text = sqlite3_errmsg(connection)
    else { return nil }
    let message = String(cString: text)
    let limit: String
    if message.contains("tables in a join") {
      limit = "its paths lead over more than 63 relationships at once"
    } else if message.contains("tree is too large") || message.contains("stack overflow")
      || message.contains("too many levels")
    {
      limit = "its subqueries or calculations are nested too deeply"
    } else if message.contains("too many SQL variables") {
      limit = "it compares with more values than a statement can hold"
    } else if code & 0xff == SQLITE_TOOBIG {
      limit = "it is longer than a statement can be"
    } else {
      return nil
    }
    self.init(
      .tooLarge,
      message: "The filter is too large for SQLite: \(limit) (\(message)). Ask in several fetches, "
        + "or compare with a list: “key IN %@”.")
  }
}
