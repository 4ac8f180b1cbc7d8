import SyncStack

/// Reads the value of `--guard`: `on`, `off`, or limits as in `count=20,share=10%,empty=0`.
enum GuardLimits {
  static func parse(_ arguments: Arguments) throws(UsageError) -> DeletionGuard {
    let text = arguments["--guard"] ?? "on"
    switch text {
    case "on": return .on
    case "off": return .off
    default: break
    }
    var count = DeletionGuard.on.count
    var share = DeletionGuard.on.share
    var empty = DeletionGuard.on.emptyPayload
    for limit in text.split(separator: ",", omittingEmptySubsequences: false) {
      let parts = limit.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let value = parts.count == 2 ? parts[1] : ""
      switch parts[0] {
      case "count": count = try number(value, of: "count", arguments)
      case "empty": empty = try number(value, of: "empty", arguments)
      case "share": share = try Self.share(value, arguments)
      default:
        throw arguments.error(
          "--guard takes on, off, or limits as in count=20,share=10%,empty=0, not “\(text)”.")
      }
    }
    return .on(count: count, share: share, emptyPayload: empty)
  }

  private static func number(
    _ text: Substring, of name: String, _ arguments: Arguments
  ) throws(UsageError) -> Int {
    guard let number = Int(text), number >= 0 else {
      throw arguments.error("--guard \(name)= takes a whole number; “\(text)” is none.")
    }
    return number
  }

  private static func share(
    _ text: Substring, _ arguments: Arguments
  ) throws(UsageError) -> Double {
    let isPercent = text.hasSuffix("%")
    if let number = Double(isPercent ? text.dropLast() : text),
      case let share = isPercent ? number / 100 : number, (0...1).contains(share)
    {
      return share
    }
    throw arguments.error("--guard share= takes 0% to 100%, or 0 to 1; “\(text)” is neither.")
  }
}
