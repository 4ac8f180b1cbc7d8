/// Two features that no program combines.
struct ImpossiblePair {
  let names: Set<String>
  let reason: String

  static let all = [
    ImpossiblePair(
      names: ["keys per owner", "keys of two attributes"],
      reason: "Both say how crates are told apart."),
    ImpossiblePair(
      names: ["keys of two attributes", "objects by key"],
      reason: "A key of JSON fills one attribute, which does not tell crates apart."),
    ImpossiblePair(
      names: ["kinds", "serializers"],
      reason: "A serializer fills attributes of its entity alone."),
    ImpossiblePair(
      names: ["kinds", "serializers below conventions"],
      reason: "A serializer fills attributes of its entity alone."),
  ]

  /// Why two features have no case; nil when they have one.
  static func reason(_ first: String, _ second: String) -> String? {
    all.first { $0.names == [first, second] }?.reason
  }
}
