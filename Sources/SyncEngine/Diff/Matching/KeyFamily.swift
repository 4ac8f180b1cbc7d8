/// What was decided about the objects of one key that several mentions or several stored rows have, kept
/// so that a key which thousands of owners use costs each of them a look-up, not a walk over the others.
///
/// Objects go by the mention that settled them; mentions that joined one stand for the same object.
/// Confined to its batch.
final class KeyFamily {
  /// The list of whatever owner: batch of the owners and relationship rule.
  struct Place: Hashable {
    let batch: Int16
    let rule: Int16
  }

  private struct OwnedPlace: Hashable {
    let owner: Int64
    let place: Place
  }

  /// The mentions that settled an object, in the order of decision.
  private var objects: [Int32] = []

  /// Objects by age as positions in ``objects``; those of one age in the order in which they came to be.
  private var byAge: [Int] = []
  private var ages: [Int64] = []

  /// Mentions that may make no object and found none, as positions in ``objects``: what is there comes before them.
  private var unmade: [Int] = []
  private var isMade: [Bool] = []
  private var firstMade: Int?
  private var nextUnmade: [Place: Int] = [:]

  /// The object of a mention, as a position in ``objects``.
  private var numbers: [Int32: Int] = [:]
  private var members: [OwnedPlace: Int32] = [:]
  private var listed: [Place: Set<Int>] = [:]
  private var nextFree: [Place: Int] = [:]

  // MARK: - Mentions

  /// Notes a decided mention.
  ///
  /// - Parameters:
  ///   - other: The mention whose object it joined; nil when it is the first of its object.
  ///   - age: The smaller the sooner an object is taken; one for all new objects; nil while there is none.
  ///   - owner: The owner in whose list it stands, if it stands in one.
  func note(
    _ mention: Int32, like other: Int32?, age: Int64?, owner: Int64?, in place: Place
  ) {
    let number = other.map { self.number(of: $0, age: age) } ?? add(mention, age: age)
    numbers[mention] = number
    if let age, !isMade[number] { make(number, age: age) }
    guard let owner else { return }
    members[OwnedPlace(owner: owner, place: place)] = mention
    listed[place, default: []].insert(number)
  }

  private func number(of mention: Int32, age: Int64?) -> Int {
    if let number = numbers[mention] { return number }
    let number = add(mention, age: age)
    numbers[mention] = number
    return number
  }

  private func add(_ mention: Int32, age: Int64?) -> Int {
    let number = objects.count
    objects.append(mention)
    ages.append(age ?? 0)
    isMade.append(false)
    if let age { make(number, age: age) } else { unmade.append(number) }
    return number
  }

  private func make(_ number: Int, age: Int64) {
    isMade[number] = true
    firstMade = firstMade ?? number
    ages[number] = age
    var position = byAge.count
    while position > 0, ages[byAge[position - 1]] > age { position -= 1 }
    byAge.insert(number, at: position)
    // Whoever was passed over stands before the one to begin with.
    for (place, next) in nextFree where next > position { nextFree[place] = position }
  }

  /// The mention in the list of an owner.
  func member(of owner: Int64, in place: Place) -> Int32? {
    members[OwnedPlace(owner: owner, place: place)]
  }

  /// The first object that came to be; a mention without one where there is none.
  var firstObject: Int32? { (firstMade ?? unmade.first).map { objects[$0] } }

  /// Whether an object stands in no owner's list of a place, so that one more mention may be the same.
  func mayJoin(_ mention: Int32, in place: Place) -> Bool {
    guard let number = numbers[mention] else { return true }
    return listed[place]?.contains(number) != true
  }

  /// Whether no mention of the key is known to have settled an object, or -1 for none.
  func isUnknown(_ mention: Int32) -> Bool { mention < 0 || numbers[mention] == nil }

  /// The first object by age that stands in no owner's list of a place. One that is not free stays so.
  func firstFree(in place: Place, where isFree: (Int32) -> Bool) -> Int32? {
    let taken = listed[place] ?? []
    var next = nextFree[place] ?? 0
    while next < byAge.count, taken.contains(byAge[next]) || !isFree(objects[byAge[next]]) {
      next += 1
    }
    nextFree[place] = next
    return next < byAge.count ? objects[byAge[next]] : nil
  }

  /// The first mention without an object that stands in no owner's list of a place.
  func firstUnmade(in place: Place) -> Int32? {
    let taken = listed[place] ?? []
    var next = nextUnmade[place] ?? 0
    while next < unmade.count, isMade[unmade[next]] || taken.contains(unmade[next]) { next += 1 }
    nextUnmade[place] = next
    return next < unmade.count ? objects[unmade[next]] : nil
  }

  // MARK: - Stored rows

  private var sortedRows: [Int32] = []
  private var rowSet: Set<Int32> = []
  private var rowsByOwner: [Place: [Int64: [Int32]]] = [:]
  private var nextRow: [Search: Int] = [:]

  private struct Search: Hashable {
    let place: Place
    let isMentioned: Bool
  }

  /// Stored rows in order; sorted again when more of them were read.
  func sorted(_ rows: [Int32], by comesFirst: (Int32, Int32) -> Bool) -> [Int32] {
    guard rows.count != sortedRows.count else { return sortedRows }
    sortedRows = rows.sorted(by: comesFirst)
    rowsByOwner = [:]
    nextRow = [:]
    return sortedRows
  }

  /// Whether a row is among those of the key.
  func holds(_ row: Int32, among rows: [Int32]) -> Bool {
    if rowSet.count != rows.count { rowSet = Set(rows) }
    return rowSet.contains(row)
  }

  /// The rows that belong to an owner.
  func rows(
    of owner: Int64, in place: Place, among rows: [Int32], ownedBy: (Int32) -> Int64
  ) -> [Int32] {
    if let known = rowsByOwner[place] { return known[owner] ?? [] }
    let grouped = Dictionary(grouping: rows, by: ownedBy)
    rowsByOwner[place] = grouped
    return grouped[owner] ?? []
  }

  /// The first row that can be had. One that cannot stays so.
  ///
  /// - Parameter isMentioned: Whether only those count that an earlier part of the payload described.
  func firstRow(
    in place: Place, among rows: [Int32], isMentioned: Bool = false, where isFree: (Int32) -> Bool
  ) -> Int32? {
    let search = Search(place: place, isMentioned: isMentioned)
    var next = nextRow[search] ?? 0
    while next < rows.count, !isFree(rows[next]) { next += 1 }
    nextRow[search] = next
    return next < rows.count ? rows[next] : nil
  }

  // MARK: - Owners

  private var standsInOnePlace: Bool?
  private var listers: [Place: (wave: Int, owners: Set<Int64>)] = [:]

  /// Whether all mentions of the key stand in one place, found out once.
  func standsInOnePlace(_ find: () -> Bool) -> Bool {
    if let known = standsInOnePlace { return known }
    let result = find()
    standsInOnePlace = result
    return result
  }

  /// The owners that list the key in a place, made anew for each wave.
  func owners(in place: Place, asOf wave: Int?, _ make: () -> Set<Int64>) -> Set<Int64> {
    guard let wave else { return make() }
    if let known = listers[place], known.wave == wave { return known.owners }
    let owners = make()
    listers[place] = (wave, owners)
    return owners
  }
}

@available(*, unavailable, message: "A family is confined to its batch.")
extension KeyFamily: Sendable {}
