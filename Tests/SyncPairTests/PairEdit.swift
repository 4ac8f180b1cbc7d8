import SyncStack

/// An edit of a text, saved in a context.
struct PairEdit: Sendable, CustomStringConvertible {
  let id: ManagedObjectID
  let property: String
  let text: String

  /// Where the server has the object.
  private let depot: Int64
  private let crate: String?
  private let kind: String

  init(_ object: ManagedObject, in depot: ManagedObject, number: Int) {
    id = object.objectID
    text = "edit \(number)"
    property = object == depot ? "note" : "title"
    self.depot = depot.value(forKey: "id", as: Int64.self) ?? 0
    kind = object.entity.name
    guard object != depot else {
      crate = nil
      return
    }
    crate = PairTruth.key(object)
  }

  var description: String { "\(id).\(property) = \(text)" }

  /// Looks whether the edit is still there.
  func check(in context: ManagedObjectContext) throws {
    let stored: String?
    do {
      stored = try context.existingObject(with: id).value(forKey: property, as: String.self)
    } catch {
      throw PairFailure("The unsent edit \(self) is lost with its object: \(error)")
    }
    guard stored == text else {
      throw PairFailure("The unsent edit \(self) is lost: \(stored ?? "nil")")
    }
  }

  /// Writes the edit into what the server has.
  ///
  /// - Returns: Whether the server has such an object.
  func apply(to truth: inout PairTruth) -> Bool {
    guard let index = truth.depots.firstIndex(where: { $0.id == depot }) else { return false }
    guard let crate else {
      truth.depots[index].values[property] = .string(text)
      return true
    }
    let crates = truth.depots[index].crates
    guard let place = crates.firstIndex(where: { PairTruth.key($0) == crate }),
      crates[place]["kind"]?.stringValue.map({ $0 == kind }) ?? true
    else { return false }
    truth.depots[index].crates[place][property] = .string(text)
    return true
  }
}
