import Foundation
import SyncStore
import TestSupport
import Testing

/// Pages are larger than SQLite's own where sorting them can still be stopped in time; a file keeps
/// its own.
@Suite struct PageSizeTests {
  private func pageSize(_ url: URL) throws -> Int {
    let header = try FileHandle(forReadingFrom: url).read(upToCount: 18) ?? Data()
    return Int(header[16]) << 8 | Int(header[17])
  }

  @Test func newFilesHaveLargePages() throws {
    let temporary = try TemporaryStore(TestModels.users(), .file)
    let url = temporary.folder.file()
    try temporary.store.close()
    // Another library of the process may have used SQLite before.
    #expect(try [4096, 8192].contains(pageSize(url)))
  }

  @Test func filesOfSmallPagesStayAsTheyAre() throws {
    let folder = try TemporaryFolder()
    let url = folder.file()
    let golden = try GoldenStore(1)
    try golden.copy(to: url)
    let store = try Store(model: golden.model(), configuration: .init(.file(url)))
    let owner = try store.model.requireEntity(named: "Owner")
    let before = try store.read { try $0.rowCount(of: owner) }
    try store.write { transaction in
      let count = 3000
      try transaction.prepareBulkInsert(owner, count: count)
      let block = RowBlock(width: owner.properties.count)
      for _ in 0..<count { _ = block.append() }
      let first = try transaction.reserveRows(count, in: owner)
      try transaction.insert(
        block, of: owner, indexes: Array(0..<Int32(count)),
        rows: (0..<Int64(count)).map { first + $0 })
    }
    #expect(try store.read { try $0.rowCount(of: owner) } == before + 3000)
    try store.close()
    #expect(try pageSize(url) == 4096)
  }
}
