import Foundation
package import SyncCore

/// Rows that were read together, as SQLite gave them. A value is made when it is asked for, so
/// reading a row takes no memory of its own, and a value that is not read costs a copy of its
/// bytes.
///
/// ```
///  cells: two for the row itself, one for each slot      bytes: texts and data, one after the other
/// ┌────────────┬─────────┬────────┬────────┬───┐        ┌──────────────────────────────────────────┐
/// │ row,entity │ version │ slot 0 │ slot 1 │ … │ row 0  │ AnnGhentBobBruges                        │
/// │ row,entity │ version │ slot 0 │ slot 1 │ … │ row 1  └──────────────────────────────────────────┘
/// └────────────┴─────────┴────────┴────────┴───┘         cells of texts hold offset and length, those of
///                                                         versions how many slots the entity has
/// ```
///
/// Invariants:
/// 1. A page is filled by the read that makes it and never changes afterwards.
/// 2. Offsets and lengths lie inside the bytes.
/// 3. A page is full with ``fullCount`` rows or ``fullSize`` bytes: an object that outlives those
///    it was fetched with keeps no more than its page.
package final class RowPage: @unchecked Sendable {
  // Unchecked: immutable once `RowPages` hands it out, which is when others first see it.

  static let fullCount = 256
  static let fullSize = 1 << 16

  private static let headWidth = 2

  package private(set) var count = 0
  private let width: Int
  private let capacity: Int
  private let cells: UnsafeMutablePointer<PageCell>
  private var bytes: UnsafeMutablePointer<UInt8>
  private var byteCount = 0
  private var byteCapacity: Int

  /// The entities of the rows, the position of the latest row's among them, and its index in the
  /// model.
  private var entities: [EntityDescription] = []
  private var latest = 0
  private var latestIndex = -1

  /// - Parameter slots: how many slots the widest row has.
  init(slots: Int, capacity: Int) {
    width = slots + RowPage.headWidth
    self.capacity = capacity
    cells = PlainMemory.resize(nil, to: width * capacity)
    byteCapacity = capacity * 64
    bytes = PlainMemory.resize(nil, to: byteCapacity)
  }

  deinit {
    PlainMemory.free(cells)
    PlainMemory.free(bytes)
  }

  // MARK: - Reading

  @inline(__always)
  private func cell(_ index: Int, _ slot: Int) -> PageCell {
    cells[index * width + slot + RowPage.headWidth]
  }

  /// The number of a row.
  package func row(_ index: Int) -> Int64 { cells[index * width].integer }

  package func version(_ index: Int) -> Int64 { cells[index * width + 1].integer }

  /// The concrete entity of a row.
  package func entity(_ index: Int) -> EntityDescription {
    entities[Int(cells[index * width].length)]
  }

  /// Index of that entity in the model.
  package func entityIndex(_ index: Int) -> Int {
    entities[Int(cells[index * width].length)].index
  }

  package func isNull(_ index: Int, _ slot: Int) -> Bool { cell(index, slot).isNull }

  /// The value of a row in a slot; null for slots without column.
  package func value(_ index: Int, _ slot: Int) -> Value {
    let cell = cell(index, slot)
    switch cell.kind {
    case .null: return .null
    case .integer: return .int(cell.integer)
    case .boolean: return .bool(cell.word != 0)
    case .real: return .double(cell.real)
    case .date: return .date(Date(timeIntervalSinceReferenceDate: cell.real))
    case .string: return .string(text(cell))
    case .decimal: return Value(storedText: text(cell), as: .decimal)
    case .uuid: return Value(storedText: text(cell), as: .uuid)
    case .url: return Value(storedText: text(cell), as: .uri)
    case .data: return .data(Data(content(cell)))
    case .archive: return Value(storedBytes: Data(content(cell)), as: .transformable)
    }
  }

  package subscript(index: Int) -> StoredRow {
    StoredRow(
      entity: entity(index), row: row(index), version: version(index),
      values: .shared(self, Int32(truncatingIfNeeded: index)))
  }

  /// How many slots the entity of a row has.
  func slotCount(_ index: Int) -> Int { Int(cells[index * width + 1].length) }

  @inline(__always)
  private func content(_ cell: PageCell) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: bytes + Int(cell.word), count: Int(cell.length))
  }

  @inline(__always)
  private func text(_ cell: PageCell) -> String {
    String(decoding: content(cell), as: UTF8.self)
  }

  // MARK: - Filling

  /// Adds the current row of a scan.
  ///
  /// - Returns: false when the page is full; then nothing was added.
  /// - Throws: ``StoreError`` with ``StoreError/Code/damaged`` when its version, or where a
  ///   relationship of it leads, is no such number.
  func append(_ cursor: RowCursor) throws -> Bool {
    guard count < capacity, byteCount < RowPage.fullSize else { return false }
    if latestIndex != cursor.entityIndex { turn(to: cursor.entity) }
    let types = cursor.layout.types
    let start = cells + count * width
    start[0] = PageCell(
      word: UInt64(bitPattern: cursor.row), length: UInt32(latest), kind: .integer)
    start[1] = PageCell(
      word: UInt64(bitPattern: try cursor.version), length: UInt32(types.count), kind: .integer)
    let slots = start + RowPage.headWidth
    for slot in types.indices {
      let column = cursor.columns[slot]
      guard column >= 0 else {
        slots[slot] = .null
        continue
      }
      let type = types[slot]
      let cell = read(ColumnValue(cursor.statement, column), PageCell.Kind(type))
      if type == nil, !cell.isNull, !RowNumber.isValid(cell.integer) {
        throw cursor.damaged(cursor.entity.properties[slot].name, cell.integer)
      }
      slots[slot] = cell
    }
    count += 1
    return true
  }

  private func turn(to entity: EntityDescription) {
    latestIndex = entity.index
    if let known = entities.firstIndex(where: { $0.index == latestIndex }) {
      latest = known
    } else {
      latest = entities.count
      entities.append(entity)
    }
  }

  @inline(__always)
  private func read(_ value: ColumnValue, _ kind: PageCell.Kind) -> PageCell {
    guard !value.isNull else { return .null }
    switch kind {
    case .null:
      return .null
    case .integer, .boolean:
      return PageCell(word: UInt64(bitPattern: value.integer), length: 0, kind: kind)
    case .real, .date:
      return PageCell(word: value.real.bitPattern, length: 0, kind: kind)
    case .string, .decimal, .uuid, .url, .data, .archive:
      return keep(value.bytes, kind)
    }
  }

  private func keep(_ content: UnsafeRawBufferPointer, _ kind: PageCell.Kind) -> PageCell {
    let offset = byteCount
    byteCount += content.count
    if byteCount > byteCapacity {
      byteCapacity = Swift.max(byteCount, byteCapacity * 2)
      bytes = PlainMemory.resize(bytes, to: byteCapacity)
    }
    if let start = content.baseAddress {
      UnsafeMutableRawPointer(bytes + offset).copyMemory(from: start, byteCount: content.count)
    }
    return PageCell(word: UInt64(offset), length: UInt32(content.count), kind: kind)
  }

  /// Gives back the memory that no further row needs.
  func close() {
    guard byteCapacity > byteCount + 64 else { return }
    byteCapacity = byteCount
    bytes = PlainMemory.resize(bytes, to: byteCapacity)
  }
}

/// Makes the pages of one read. The first is small, because most reads want few rows.
struct RowPages {
  private var full: [RowPage] = []
  private var current: RowPage?
  private let slots: Int

  /// - Parameter layout: the entity that is read; rows of its subentities come too.
  init(_ layout: EntityLayout, in tables: TableLayout) {
    slots =
      layout.table.hasEntityColumn
      ? layout.entity.familyEntities.map { tables[$0].types.count }.max() ?? layout.types.count
      : layout.types.count
  }

  /// Adds the current row of a scan.
  ///
  /// - Throws: as ``RowPage/append(_:)``.
  mutating func append(_ cursor: RowCursor) throws {
    if let current, try current.append(cursor) { return }
    let capacity = min(RowPage.fullCount, (current?.count ?? 1) * 8)
    finish()
    let page = RowPage(slots: slots, capacity: capacity)
    _ = try page.append(cursor)
    current = page
  }

  private mutating func finish() {
    guard let page = current else { return }
    page.close()
    full.append(page)
    current = nil
  }

  /// The pages, in the order of the rows.
  mutating func take() -> [RowPage] {
    finish()
    return full
  }
}
