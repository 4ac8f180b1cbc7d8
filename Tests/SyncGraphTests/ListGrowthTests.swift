import SyncGraph
import TestSupport
import Testing

/// Ordered lists that are changed in place, member by member.
@Suite struct ListGrowthTests {
  private let context: ManagedObjectContext

  init() throws { context = try DataStack.social().newBackgroundContext() }

  private func chore(_ number: Int) -> Chore {
    let chore = Chore(context: context)
    chore.title = "\(number)"
    return chore
  }

  /// One step of a random walk, on the list and on a plain array.
  private func change(_ user: User, _ model: inout [Chore], _ random: inout SeededGenerator) {
    let index = Int.random(in: 0...model.count, using: &random)
    switch Int.random(in: 0..<9, using: &random) {
    case 0, 1:
      let new = chore(model.count)
      user.chores.append(new)
      model.append(new)
    case 2, 3:
      let new = chore(model.count)
      user.chores.insert(new, at: index)
      model.insert(new, at: index)
    case 4 where index < model.count:
      user.chores.remove(at: index)
      model.remove(at: index)
    case 5 where index < model.count:
      model[index].user = nil
      model.remove(at: index)
    case 6 where index < model.count:
      user.chores.swapAt(0, index)
      model.swapAt(0, index)
    case 7 where index < model.count:
      // A member once more: it stays where it stands first.
      user.chores.append(model[index])
    case 8 where index < model.count:
      context.delete(model[index])
      model.remove(at: index)
    default: break
    }
  }

  @Test(arguments: 0..<12 as Range<UInt64>)
  func changesInPlaceAreThoseOfAnArray(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    try context.performAndWait {
      let user = User(context: context)
      user.id = 1
      var model: [Chore] = []
      for step in 0..<150 {
        change(user, &model, &random)
        #expect(user.chores == model)
        #expect(model.allSatisfy { $0.user === user })
        if step % 40 == 39 { try context.save() }
      }
      try context.save()
      context.refreshAllObjects()
      #expect(user.chores == model)
    }
  }
}
