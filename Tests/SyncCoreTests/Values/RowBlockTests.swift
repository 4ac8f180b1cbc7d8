import SyncCore
import Testing

/// A block gives back the memory of slots that are not asked for any more, and keeps the others.
struct RowBlockTests {
  private func block(width: Int, rows: Int) -> RowBlock {
    let block = RowBlock(width: width)
    for row in 0..<rows {
      _ = block.append()
      for slot in 0..<width { block[row][slot] = .integer(Int64(row * 100 + slot)) }
    }
    return block
  }

  @Test(arguments: [0..<1, 2..<3, 4..<5, 1..<4, 0..<5], [0, 1, 7, 1000])
  func aNarrowedBlockKeepsItsSlots(_ slots: Range<Int>, _ rows: Int) {
    let block = block(width: 5, rows: rows)
    block.narrow(to: slots)
    #expect(block.width == slots.count && block.count == rows)
    for row in 0..<rows {
      for slot in slots { #expect(block[row][slot].integer == Int64(row * 100 + slot)) }
    }
  }

  @Test func aNarrowedBlockGrowsAndNarrowsAgain() {
    let block = block(width: 5, rows: 3)
    block.narrow(to: 1..<4)
    for row in 3..<100 {
      #expect(block.append() == row)
      #expect(block[row][1].isAbsent && block[row][3].isAbsent)
      block[row][2] = .integer(Int64(row))
    }
    block.narrow(to: 2..<3)
    #expect((0..<3).allSatisfy { block[$0][2].integer == Int64($0 * 100 + 2) })
    #expect((3..<100).allSatisfy { block[$0][2].integer == Int64($0) })
  }

  @Test func aBlockOfSomeSlotsIsAskedForThese() {
    let block = RowBlock(slots: 3..<5, capacity: 1)
    for row in 0..<50 {
      #expect(block.append() == row)
      block[row][3] = .integer(Int64(row))
      #expect(block[row][4].isAbsent)
    }
    #expect((0..<50).allSatisfy { block[$0][3].integer == Int64($0) })
  }
}

/// A cell holds any length that can be stored, and says so of one that cannot.
struct CellTests {
  @Test(arguments: [0, 1, 255, 1 << 28, 1 << 29 - 1, 1 << 29, 1_000_000_000, Cell.longest - 1])
  func lengthsComeBack(_ length: Int) {
    let start = UnsafeRawPointer(bitPattern: 0xFFFF_1234)
    let bytes = UnsafeRawBufferPointer(start: start, count: length)
    for (cell, kind) in [(Cell.text(bytes), Cell.Kind.text), (Cell.blob(bytes), Cell.Kind.blob)] {
      #expect(cell.length == length && cell.kind == kind && !cell.isEmpty)
      #expect(cell.bytes.count == length && cell.bytes.baseAddress == bytes.baseAddress)
    }
  }

  @Test(arguments: [Cell.longest, Cell.longest + 1, 1 << 40])
  func longerOnesAreTheLongest(_ length: Int) {
    #expect(Cell.text(at: 16, length: length).length == Cell.longest)
    #expect(Cell.text(at: 16, length: length).kind == .text)
  }

  @Test(arguments: [0, 1, -1, Int64.min, Int64.max])
  func numbersComeBack(_ number: Int64) {
    #expect(Cell.integer(number).integer == number && Cell.integer(number).kind == .integer)
    let real = Double(bitPattern: UInt64(bitPattern: number))
    #expect(Cell.real(real).word == real.bitPattern && Cell.real(real).kind == .real)
    #expect(MemoryLayout<Cell>.stride == 12)
  }

  @Test
  func nothingAndNullAreEmpty() {
    #expect(Cell.absent.isAbsent && Cell.absent.isEmpty && Cell.absent.kind == .absent)
    #expect(!Cell.null.isAbsent && Cell.null.isEmpty && Cell.null.kind == .null)
  }
}
