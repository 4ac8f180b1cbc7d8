import SyncStack
import TestSupport

extension DataStack {
  /// Teams with a captain among their players: a circle of two entities.
  static func league(_ store: DataStack.Location = .inMemory) throws -> DataStack {
    try DataStack(
      model: ManagedObjectModel([
        "Team: id, name, captain -> Player.captainOf, players ->> Player.team",
        EntityDraft(
          "Player",
          [
            "id", "name", "team -> Team.players", "captainOf -> Team.captain",
            "friends ->> Player.friends",
          ]),
      ]), store: store)
  }

  /// Lines that have to have an order.
  static func orders() throws -> DataStack {
    try DataStack(
      model: ManagedObjectModel([
        "Line: id, order -> Order.lines required",
        "Order: id, lines ->> Line.order",
      ]), store: .inMemory)
  }
}
