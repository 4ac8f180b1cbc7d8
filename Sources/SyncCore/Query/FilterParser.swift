/// Reads a format text into the tree of a filter.
struct FilterParser {
  static func parse(_ format: String, arguments: [Any?]) -> Result<FilterNode, FilterError> {
    .success(.constant(true))
  }
}
