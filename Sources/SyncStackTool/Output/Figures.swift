/// Numbers as people read them, the same in every locale.
enum Figures {
  /// The number with commas between the thousands.
  static func grouped(_ number: Int) -> String {
    let digits = String(number.magnitude)
    var result = number < 0 ? "-" : ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index).isMultiple(of: 3) { result += "," }
      result.append(digit)
    }
    return result
  }

  /// The number and the noun, in the plural unless the number is one.
  static func counted(_ number: Int, _ noun: String) -> String {
    "\(grouped(number)) \(number == 1 ? noun : noun + "s")"
  }

  /// A number of bytes in the unit that suits it.
  static func bytes(_ number: Int) -> String {
    var (value, unit) = (Double(number), 0)
    let units = ["bytes", "kB", "MB", "GB", "TB"]
    while value >= 999.5, unit < units.count - 1 { (value, unit) = (value / 1_000, unit + 1) }
    let digits = unit == 0 || value >= 99.95 ? 0 : 1
    return "\(fixed(value, digits: digits)) \(units[unit])"
  }

  /// Seconds with as many digits as make sense.
  static func duration(_ seconds: Double) -> String {
    if seconds < 0.0995 { return "\(Int((seconds * 1_000).rounded())) ms" }
    if seconds < 59.95 { return fixed(seconds, digits: seconds < 9.995 ? 2 : 1) + " s" }
    return clock(seconds) + " min"
  }

  /// Minutes and seconds, as in `2:05`.
  static func clock(_ seconds: Double) -> String {
    let whole = Int(seconds.rounded())
    let rest = whole % 60
    return "\(whole / 60):\(rest < 10 ? "0" : "")\(rest)"
  }

  /// The number with a fixed number of digits behind the point.
  static func fixed(_ number: Double, digits: Int) -> String {
    var scale = 1
    for _ in 0..<digits { scale *= 10 }
    let scaled = Int((number * Double(scale)).rounded())
    guard digits > 0 else { return String(scaled) }
    let fraction = String(scaled % scale)
    return "\(scaled / scale)." + String(repeating: "0", count: digits - fraction.count) + fraction
  }
}
