/// The time at which a field was given its value, and the engine that gave it: 13 digits of
/// milliseconds since 1970, `-`, eight letters that are drawn when an engine opens. Compared as
/// text; the newest stamp of a field wins.
struct Stamp: Sendable, Hashable, Comparable {
  let text: String

  /// Reads a stamp; nil when the text is none.
  init?(_ text: String) {
    let bytes = text.utf8
    guard bytes.count == 22 else { return nil }
    for (index, byte) in bytes.enumerated() {
      let isRight =
        switch index {
        case 0..<13: byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
        case 13: byte == UInt8(ascii: "-")
        default: byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "z")
        }
      if !isRight { return nil }
    }
    self.text = text
  }

  init(milliseconds: Int64, writer: String) {
    let digits = String(min(max(milliseconds, 0), 9_999_999_999_999))
    text = String(repeating: "0", count: 13 - digits.utf8.count) + digits + "-" + writer
  }

  /// Whether a writer has made it.
  func isBy(_ writer: String) -> Bool { text.hasSuffix(writer) }

  var milliseconds: Int64 { Int64(text.prefix(13)) ?? 0 }

  /// Whether it is more than a day ahead of a server's clock; a time of 0 is one that is not known.
  func isFar(from time: Int64) -> Bool { time > 0 && milliseconds - time > 86_400_000 }

  /// Stands for a deletion by a program that knows no stamps.
  static func deletion(at milliseconds: Int64) -> Stamp {
    Stamp(milliseconds: milliseconds, writer: "deletion")
  }

  /// The latest stamp that is older than the millisecond of this one.
  var eve: Stamp { Stamp(milliseconds: milliseconds - 1, writer: "zzzzzzzz") }

  static func < (left: Stamp, right: Stamp) -> Bool { left.text < right.text }
}

/// Makes stamps, each later than every one that it has made or seen.
struct StampClock: Sendable {
  /// Eight letters.
  let writer: String

  /// Milliseconds of the latest stamp that was made or seen.
  private(set) var last: Int64

  init(writer: String, last: Int64 = 0) {
    self.writer = writer
    self.last = last
  }

  /// A new name of a writer: one of 26^8, which is 2 × 10^11.
  static func drawWriter() -> String {
    String((0..<8).map { _ in Character(UnicodeScalar(UInt8.random(in: 97...122))) })
  }

  /// The stamp of an edit at a time.
  mutating func next(at milliseconds: Int64) -> Stamp {
    last = max(milliseconds, last + 1)
    return Stamp(milliseconds: last, writer: writer)
  }

  /// Older than all edits from now on, for objects that were there before edits were tracked.
  var oldest: Stamp { Stamp(milliseconds: 0, writer: writer) }

  /// Just newer than a deletion: for fields that outlive it.
  func survivor(of deletion: Stamp) -> Stamp {
    Stamp(milliseconds: deletion.milliseconds + 1, writer: writer)
  }

  mutating func see(_ stamp: Stamp) {
    last = max(last, stamp.milliseconds)
  }
}
