import SyncCore
import SyncGraph
import TestSupport
import Testing

/// Two contexts that put one member into one list agree on its place: where the first of them has
/// stored it.
@Suite struct PlaceConflictTests {
  @Test(arguments: [MergePolicy.objectWins, .objectWinsPerProperty])
  func aMemberThatIsThereAlreadyKeepsItsPlace(_ policy: MergePolicy) throws {
    let model = try ManagedObjectModel([
      "List: id, items ->> Item.list ordered",
      "Item: id, list -> List.items",
    ])
    let stack = try DataStack(model: model, store: .inMemory)
    let (early, late) = (stack.newBackgroundContext(), stack.newBackgroundContext())
    late.mergePolicy = policy
    let (list, items) = try early.performAndWait {
      let list = try early.insert(entityNamed: "List")
      list["id"] = 1
      let items = try (1...3).map { number in
        let item = try early.insert(entityNamed: "Item")
        item["id"] = number
        return item
      }
      try early.save()
      return (list.objectID, items.map(\.objectID))
    }
    late.performAndWait {
      late.object(with: list)["items"] = [late.object(with: items[0])]
    }
    try early.performAndWait {
      early.object(with: list)["items"] = items.map(early.object)
      try early.save()
    }
    func order(_ context: ManagedObjectContext) -> [Int64] {
      context.performAndWait {
        let members = context.object(with: list)["items"] as? [ManagedObject] ?? []
        return members.compactMap { $0["id"] as? Int64 }
      }
    }
    #expect(order(late) == [1, 2, 3])
    try late.performAndWait { try late.save() }
    #expect(order(late) == [1, 2, 3])
    #expect(order(stack.newBackgroundContext()) == [1, 2, 3])
  }
}
