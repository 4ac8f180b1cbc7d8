import SyncStack

extension DataStack {
  /// Teams with a captain among their players: a circle of two entities.
  static func league(_ store: DataStack.Location = .inMemory) throws -> DataStack {
    try DataStack(
      model: ManagedObjectModel([
        EntityDraft(
          "Team",
          [
            .attribute("id", .integer64), .attribute("name", .string),
            .toOne("captain", to: "Player", inverse: "captainOf"),
            .toMany("players", to: "Player", inverse: "team"),
          ]),
        EntityDraft(
          "Player",
          [
            .attribute("id", .integer64), .attribute("name", .string),
            .toOne("team", to: "Team", inverse: "players"),
            .toOne("captainOf", to: "Team", inverse: "captain"),
            .toMany("friends", to: "Player", inverse: "friends"),
          ]),
      ]), store: store)
  }

  /// Lines that have to have an order.
  static func orders() throws -> DataStack {
    try DataStack(
      model: ManagedObjectModel([
        EntityDraft(
          "Line",
          [
            .attribute("id", .integer64),
            .toOne("order", to: "Order", inverse: "lines", isOptional: false),
          ]),
        EntityDraft(
          "Order",
          [.attribute("id", .integer64), .toMany("lines", to: "Line", inverse: "order")]),
      ]), store: .inMemory)
  }
}
