import SyncCore

/// Texts in the form that C takes, for as long as this lives.
final class CTexts {
  private var texts: [UnsafePointer<CChar>?]

  init(_ texts: [String?]) {
    self.texts = texts.map { text in
      text.map { text in
        let bytes = text.utf8CString
        let copy = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
        bytes.withUnsafeBufferPointer {
          if let first = $0.baseAddress { copy.initialize(from: first, count: bytes.count) }
        }
        return UnsafePointer(copy)
      }
    }
  }

  deinit {
    for text in texts { text?.deallocate() }
  }

  func withPointer<Result>(_ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Result) -> Result {
    // One more, so that there is an address where there are no texts.
    (texts + [nil]).withUnsafeBufferPointer { buffer in
      guard let start = buffer.baseAddress else { programmingError("An array has no address.") }
      return body(start)
    }
  }
}
