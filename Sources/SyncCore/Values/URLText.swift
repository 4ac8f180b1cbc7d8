package import Foundation

/// Texts that are URLs.
package enum URLText {
  /// The URL of a text; nil when it is none.
  ///
  /// Foundation escapes characters that may not stand in a URL, so that every sentence would become
  /// one. A text that needs escapes is therefore only taken when it names a scheme and a host, as
  /// in `https://a.b/my photo.png`; paths and other references have to be written as the rules ask.
  package static func parse(_ text: String) -> URL? {
    guard !text.isEmpty, let url = URL(string: text) else { return nil }
    if url.absoluteString == text { return url }
    return url.scheme != nil && url.host != nil ? url : nil
  }
}
