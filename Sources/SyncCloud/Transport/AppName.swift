/// The name that keeps programs on one server apart.
enum AppName {
  /// - Throws: ``CloudError`` with ``CloudError/Code/unsupported`` when an app can have no such
  ///   name.
  static func check(_ app: String) throws(CloudError) {
    guard app.utf8.count <= 200, app.wholeMatch(of: /[A-Za-z0-9][A-Za-z0-9_-]*/) != nil else {
      throw CloudError(
        .unsupported,
        message:
          "“\(app)” cannot be the name of an app: letters of ASCII, digits, - and _ can, at most 200, with a "
          + "letter or digit first.")
    }
  }
}
