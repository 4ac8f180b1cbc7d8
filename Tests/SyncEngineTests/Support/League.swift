import SyncStack
import TestSupport

extension DataStack {
  static func inMemory(_ entities: [EntityDraft]) throws -> DataStack {
    try DataStack(model: ManagedObjectModel(entities), store: .inMemory)
  }

  /// Teams with a captain among their players: a circle of two entities.
  static func league(_ store: DataStack.Location = .inMemory) throws -> DataStack {
    try DataStack(
      model: ManagedObjectModel([
        "Team: id, name, captain -> Player.captainOf, players ->> Player.team",
        """
        Player: id, name, team -> Team.players, captainOf -> Team.captain,
        friends ->> Player.friends
        """,
      ]), store: store)
  }

  /// Lines that have to have an order.
  static func orders() throws -> DataStack {
    try DataStack.inMemory([
      "Line: id, order -> Order.lines required",
      "Order: id, lines ->> Line.order",
    ])
  }
}
