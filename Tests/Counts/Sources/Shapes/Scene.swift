public import Foundation
import SyncStack

/// Where a shape works: a folder of its own, and the meter of the parts that it wants measured.
public final class Scene {
  public let folder: URL
  private let meter: any Meter

  public init(_ meter: any Meter) throws {
    self.meter = meter
    folder = FileManager.default.temporaryDirectory
      .appending(path: "shape-\(UUID().uuidString)", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// Measures a part of a shape's work.
  public func measure(_ body: () throws -> Void) rethrows {
    meter.begin()
    defer { meter.pause() }
    try body()
  }

  /// Opens the store of the scene.
  func stack(_ model: ManagedObjectModel, tracksChanges: Bool = false) throws -> DataStack {
    try DataStack(
      model: model, store: .sqlite(folder.appending(path: "shape.sqlite")),
      tracksChanges: tracksChanges)
  }
}

/// Measures parts of a process's work.
public protocol Meter: AnyObject {
  func begin()
  func pause()
}

extension DataStack {
  /// Syncs on this thread, and says nothing of it.
  func take(
    _ json: Data, _ entity: String = "Item", _ change: (Sync) -> Void = { _ in }
  ) throws {
    let sync = Sync(.data(json), inEntityNamed: entity, dataStack: self)
    sync.deletionGuard = .off
    change(sync)
    try run(sync)
  }

  /// Takes a page, which deletes nothing.
  func takePage(_ json: Data, _ entity: String = "Item") throws {
    try take(json, entity) { $0.operations = [.insert, .update] }
  }

  /// Runs a sync on this thread.
  func run(_ sync: Sync) throws {
    sync.start()
    _ = try sync.result?.get()
  }

  /// Runs a body in a context of its own.
  func inContext(_ body: (ManagedObjectContext) throws -> Void) rethrows {
    let context = newBackgroundContext()
    try context.performAndWait { try body(context) }
  }
}

/// The text of payloads.
enum Text {
  /// A list of items, by their numbers.
  static func list(_ numbers: some Sequence<Int>, _ item: (Int) -> String) -> Data {
    Data("[\(numbers.lazy.map(item).joined(separator: ","))]".utf8)
  }

  /// An item with a key and some texts that depend on a version.
  static func item(_ key: String, columns: Int = 4, version: Int = 0) -> String {
    let texts = (0..<columns).map { "\"text\($0)\":\"value \($0) of \(version)\"" }
    return "{\"id\":\(key),\(texts.joined(separator: ","))}"
  }

  /// A number that looks like chance: the same for the same number.
  static func scattered(_ number: Int) -> UInt64 {
    var bits = UInt64(truncatingIfNeeded: number) &+ 0x9e37_79b9_7f4a_7c15
    bits = (bits ^ (bits >> 30)) &* 0xbf58_476d_1ce4_e5b9
    bits = (bits ^ (bits >> 27)) &* 0x94d0_49bb_1331_11eb
    return bits ^ (bits >> 31)
  }

  /// A UUID in quotes.
  static func uuid(_ number: Int) -> String {
    let high = String(scattered(number), radix: 16, uppercase: true)
    let low = String(scattered(-number - 1), radix: 16, uppercase: true)
    let digits = Array(
      String(repeating: "0", count: 16 - high.count) + high
        + String(repeating: "0", count: 16 - low.count) + low)
    let parts = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }
    return "\"\(parts.joined(separator: "-"))\""
  }

  /// A text key in quotes, in no order.
  static func key(_ number: Int) -> String {
    "\"item-\(String(scattered(number), radix: 36))\""
  }
}
