import SyncCore
import Testing

/// A cell holds any length that can be stored, and says so of one that cannot.
struct CellTests {
  @Test(arguments: [
    0, 1, 255, 1 << 28, 1 << 29 - 1, 1 << 29, 1_000_000_000, Cell.longest - 1,
  ])
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
