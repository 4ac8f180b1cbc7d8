import TestSupport
import Testing

@testable import SyncStore

/// To record a change costs the same, however many were recorded before.
@Suite struct ChangeRecorderTests {
  private let model: ManagedObjectModel
  private let layout: TableLayout
  private let user: EntityLayout

  init() throws {
    model = try TestModels.userNotes()
    layout = TableLayout(model: model)
    user = layout[try model.requireEntity(named: "User")]
  }

  /// How often the list of a table's updates moves to other memory meanwhile.
  private func moves(_ count: Int, _ record: (inout ChangeRecorder, Int) -> Void) -> Int {
    var recorder = ChangeRecorder(layout: layout)
    var moves = 0
    var last: UnsafePointer<ChangeRecorder.Update>?
    for index in 0..<count {
      record(&recorder, index)
      let address = recorder.updates[user.table.index].list.withUnsafeBufferPointer(\.baseAddress)
      if address != last { moves += 1 }
      last = address
    }
    return moves
  }

  @Test func anUpdateDoesNotCopyThoseBeforeIt() throws {
    let arena = CellArena()
    let block = RowBlock(width: user.entity.properties.count)
    try block.append(["id": 1, "name": "a"], of: user.entity, arena: arena)
    let slots: SlotSet = [1]
    // A list that doubles moves ten times on its way to a thousand.
    #expect(moves(1000) { $0.update(Int64($1), of: user, slots: slots, block, 0) } <= 12)
    #expect(moves(1000) { $0.update(Int64($1), in: user.table, slots: slots) } <= 12)
    #expect(
      moves(1000) { recorder, number in
        recorder.update(
          1, except: [], of: user, slots: slots, block, row: { _ in Int64(number) },
          index: { _ in 0 })
      } <= 12)
  }

  @Test func aTableKnowsItsEntitiesWithoutASearch() throws {
    let layout = TableLayout(model: try TestModels.vehicles())
    for table in layout.tables {
      let found = layout.entities.filter { $0.table === table }
      #expect(layout.members(of: table).map(\.entity) == found.map(\.entity))
    }
  }
}
