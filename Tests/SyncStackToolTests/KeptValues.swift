import Foundation
import SyncStack

/// Compares an item that was sent with the same in an export.
struct KeptValues {
  /// Places of the item whose value is not there any more, or another one.
  private(set) var lost: [String] = []
  /// Places that the item does not have, where a value is all the same.
  private(set) var stale: [String] = []

  init(_ sent: JSONValue, _ kept: JSONValue?) { compare(sent, kept, "") }

  private mutating func compare(_ sent: JSONValue, _ kept: JSONValue?, _ path: String) {
    switch (sent, kept) {
    case (.object(let sent), .object(let kept)?):
      // An export writes names of properties in snake case.
      let names = Dictionary(
        kept.map { (KeptValues.letters($0.key), $0.value) }, uniquingKeysWith: { one, _ in one })
      for member in sent {
        let twin = kept[member.key] ?? names[KeptValues.letters(member.key)]
        compare(member.value, twin, path + (path.isEmpty ? "" : ".") + member.key)
      }
      let known = Set(sent.map { KeptValues.letters($0.key) })
      for member in kept
      where !known.contains(KeptValues.letters(member.key)) && !KeptValues.isEmpty(member.value) {
        stale.append(path + (path.isEmpty ? "" : ".") + member.key)
      }
    case (.array(let sent), .array(let kept)?):
      compare(sent, kept, path)
    default:
      if !KeptValues.isSame(sent, kept ?? .null) { lost.append(path) }
    }
  }

  private mutating func compare(_ sent: [JSONValue], _ kept: [JSONValue], _ path: String) {
    guard sent.count == kept.count else { return lost.append(path) }
    for (number, element) in sent.enumerated() {
      let twin = element["id"].flatMap { id in kept.first { $0["id"] == id } }
      compare(element, twin ?? kept[number], path + "[]")
    }
  }

  private static func letters(_ key: String) -> String {
    key.lowercased().filter { $0.isLetter || $0.isNumber }
  }

  private static func isEmpty(_ value: JSONValue) -> Bool {
    switch value {
    case .null: true
    case .array(let elements): elements.isEmpty
    case .object(let object): object.allSatisfy { isEmpty($0.value) }
    default: false
    }
  }

  /// Whether two plain values say the same: as a number, a moment or a text.
  private static func isSame(_ sent: JSONValue, _ kept: JSONValue) -> Bool {
    if sent == kept { return true }
    if isEmpty(sent) || sent == "" { return isEmpty(kept) || kept == "" }
    if let one = number(sent), let other = number(kept) { return one == other }
    guard let text = kept.stringValue else { return false }
    if let number = sent.doubleValue, let moment = DateText.parse(text) {
      let since1970 = moment + 978_307_200
      return abs(since1970 - number) < 0.001 || abs(since1970 - number / 1000) < 0.001
    }
    guard let other = sent.stringValue else { return false }
    if let one = DateText.parse(text), let other = DateText.parse(other) { return one == other }
    return UUID(uuidString: text) != nil && text.lowercased() == other.lowercased()
  }

  private static func number(_ value: JSONValue) -> Double? {
    value.doubleValue ?? value.stringValue.flatMap { Double($0) }
  }
}
