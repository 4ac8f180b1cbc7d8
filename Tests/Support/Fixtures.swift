package import Foundation

/// Files that tests read: those of the folder `Fixtures`, and those of the examples.
package enum Fixtures {
  /// The file or folder of that name in `Fixtures`.
  package static func url(_ name: String) -> URL {
    Bundle.module.bundleURL.appending(path: "Fixtures").appending(path: name)
  }

  /// Model of the documents of ``ISOCodes``: `Country` for 3166-1, `Subdivision` for 3166-2,
  /// `Language` for 639-3.
  ///
  /// The documents do not say which country a subdivision belongs to: a test that syncs them adds
  /// `country_id`, the part of the code before the hyphen.
  package static var isoModel: URL { url("ISO.xcdatamodeld") }

  /// A file of the examples: `countries-2016.json`, `countries-2024.json`,
  /// `Countries.xcdatamodeld`.
  package static func exampleData(_ name: String) -> URL {
    URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Examples/Data").appending(path: name)
  }
}

/// The documents of the distribution's package iso-codes. Tests that need them are skipped where it
/// is not installed: `@Test(.enabled(if: ISOCodes.areInstalled, "iso-codes is not installed"))`.
package enum ISOCodes {
  private static let folder = URL(filePath: "/usr/share/iso-codes/json")

  package static var areInstalled: Bool {
    ["3166-1", "3166-2", "639-3"].allSatisfy {
      FileManager.default.fileExists(atPath: url($0).path(percentEncoded: false))
    }
  }

  /// The document of a standard, such as `3166-1`; its objects lie in the array of that name.
  package static func url(_ standard: String) -> URL {
    folder.appending(path: "iso_\(standard).json")
  }
}
