/// Which keys of objects came together. That tells values of several types, of which one at a time
/// is there, from values that may be missing.
struct KeyCompany {
  /// Sets of keys with how many objects had just these; nil when there are too many to tell.
  private var sets: [Set<String>: Int]? = [:]

  private static let mostSets = 64

  /// The keys by which APIs name the value of a type.
  private static let namesOfTypes: Set<String> = [
    "nullValue", "booleanValue", "boolValue", "integerValue", "intValue", "doubleValue",
    "floatValue", "numberValue", "stringValue", "timestampValue", "dateValue", "bytesValue",
    "referenceValue", "geoPointValue", "arrayValue", "mapValue", "structValue", "listValue",
    "NULL", "BOOL", "S", "N", "B", "SS", "NS", "BS", "M", "L",
  ]

  mutating func add(_ keys: Set<String>) {
    guard sets != nil else { return }
    sets?[keys, default: 0] += 1
    if let sets, sets.count > KeyCompany.mostSets { self.sets = nil }
  }

  mutating func merge(_ other: KeyCompany) {
    guard let theirs = other.sets, sets != nil else {
      sets = nil
      return
    }
    sets?.merge(theirs, uniquingKeysWith: +)
    if let sets, sets.count > KeyCompany.mostSets { self.sets = nil }
  }

  /// Groups of keys of which every object has just one group; empty when there are none. Of a group
  /// that comes in several forms only the keys that all of them have are given.
  var alternatives: [Set<String>] {
    guard let sets, let all = sets.keys.first.map({ sets.keys.reduce($0) { $0.union($1) } }) else {
      return []
    }
    if all.isSubset(of: KeyCompany.namesOfTypes) { return all.map { [$0] } }
    let always = sets.keys.reduce(all) { $0.intersection($1) }
    let rest = sets.keys.map { $0.subtracting(always) }
    guard rest.count > 1, !rest.contains([]) else { return [] }
    // Sets that share a key are of one group.
    var groups: [(all: Set<String>, common: Set<String>)] = []
    for set in rest {
      var group = (all: set, common: set)
      groups.removeAll { other in
        guard !other.all.isDisjoint(with: group.all) else { return false }
        group = (group.all.union(other.all), group.common.intersection(other.common))
        return true
      }
      groups.append(group)
    }
    return groups.count > 1 ? groups.map(\.common).filter { !$0.isEmpty } : []
  }
}
