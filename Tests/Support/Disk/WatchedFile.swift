import CSyncStackSQLite
import Foundation

/// One open file of a ``WatchedDisk``. SQLite's memory for the file begins with the pointer to
/// ``methods`` and this object; the system's own file stands behind them.
final class WatchedFile {
  /// Where the system's file begins in the memory that SQLite gives.
  static let innerOffset = 16

  let disk: WatchedDisk
  let name: String

  private init(_ disk: WatchedDisk, _ name: String) {
    self.disk = disk
    self.name = name
  }

  static func open(
    _ file: UnsafeMutablePointer<sqlite3_file>, on disk: WatchedDisk, _ name: String,
    _ open: (UnsafeMutablePointer<sqlite3_file>) -> Int32
  ) -> Int32 {
    let code = open(inner(file))
    // SQLite closes a file that has methods, even one that could not be opened.
    guard inner(file).pointee.pMethods != nil else {
      file.pointee.pMethods = nil
      return code
    }
    let object = Unmanaged.passRetained(WatchedFile(disk, name)).toOpaque()
    UnsafeMutableRawPointer(file).storeBytes(of: object, toByteOffset: 8, as: UnsafeRawPointer.self)
    file.pointee.pMethods = methods
    return code
  }

  // MARK: - From SQLite's memory

  private static func inner(
    _ file: UnsafeMutablePointer<sqlite3_file>
  ) -> UnsafeMutablePointer<sqlite3_file> {
    (UnsafeMutableRawPointer(file) + innerOffset).assumingMemoryBound(to: sqlite3_file.self)
  }

  private static func object(_ file: UnsafeMutablePointer<sqlite3_file>) -> Unmanaged<WatchedFile> {
    .fromOpaque(UnsafeMutableRawPointer(file).load(fromByteOffset: 8, as: UnsafeRawPointer.self))
  }

  /// Calls a method of the system's file, unless the access is to fail.
  private static func pass(
    _ file: UnsafeMutablePointer<sqlite3_file>?, as access: WatchedDisk.Access? = nil,
    _ body: (sqlite3_io_methods, UnsafeMutablePointer<sqlite3_file>) -> Int32?,
    then record: (WatchedFile) -> Void = { _ in }
  ) -> Int32 {
    guard let file, let methods = inner(file).pointee.pMethods else { return SQLITE_IOERR }
    let watched = object(file).takeUnretainedValue()
    if let access, let failure = watched.disk.outcome(access) { return failure }
    let code = body(methods.pointee, inner(file)) ?? SQLITE_IOERR
    if code == SQLITE_OK { record(watched) }
    return code
  }

  // MARK: - Methods

  /// Version 2: with shared memory, without mapped pages, so that every read and write passes here.
  nonisolated(unsafe) private static let methods: UnsafePointer<sqlite3_io_methods> = {
    let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
    methods.initialize(to: sqlite3_io_methods())
    methods.pointee.iVersion = 2
    methods.pointee.xClose = { file in
      guard let file else { return SQLITE_IOERR }
      let code = pass(file, { $0.xClose?($1) })
      object(file).release()
      return code
    }
    methods.pointee.xRead = { file, bytes, count, offset in
      pass(file, as: .reads, { $0.xRead?($1, bytes, count, offset) })
    }
    methods.pointee.xWrite = { file, bytes, count, offset in
      pass(
        file, as: .writes, { $0.xWrite?($1, bytes, count, offset) },
        then: { watched in
          let written = UnsafeRawBufferPointer(start: bytes, count: Int(count))
          watched.disk.add(watched.name, .write(offset: Int(offset), bytes: Array(written)))
        })
    }
    methods.pointee.xTruncate = { file, size in
      pass(
        file, as: .writes, { $0.xTruncate?($1, size) },
        then: { $0.disk.add($0.name, .truncate(size: Int(size))) })
    }
    methods.pointee.xSync = { file, flags in
      pass(file, as: .syncs, { $0.xSync?($1, flags) }, then: { $0.disk.add($0.name, .sync) })
    }
    methods.pointee.xFileSize = { file, size in pass(file, { $0.xFileSize?($1, size) }) }
    methods.pointee.xLock = { file, level in pass(file, { $0.xLock?($1, level) }) }
    methods.pointee.xUnlock = { file, level in pass(file, { $0.xUnlock?($1, level) }) }
    methods.pointee.xCheckReservedLock = { file, result in
      pass(file, { $0.xCheckReservedLock?($1, result) })
    }
    methods.pointee.xFileControl = { file, operation, argument in
      pass(file, { $0.xFileControl?($1, operation, argument) })
    }
    methods.pointee.xSectorSize = { file in pass(file, { $0.xSectorSize?($1) ?? 512 }) }
    methods.pointee.xDeviceCharacteristics = { file in
      pass(file, { $0.xDeviceCharacteristics?($1) ?? 0 })
    }
    methods.pointee.xShmMap = { file, page, size, isExtending, memory in
      pass(file, { $0.xShmMap?($1, page, size, isExtending, memory) })
    }
    methods.pointee.xShmLock = { file, offset, count, flags in
      pass(file, { $0.xShmLock?($1, offset, count, flags) })
    }
    methods.pointee.xShmBarrier = { file in
      _ = pass(
        file,
        {
          $0.xShmBarrier?($1)
          return SQLITE_OK
        })
    }
    methods.pointee.xShmUnmap = { file, isDeleting in
      pass(file, { $0.xShmUnmap?($1, isDeleting) })
    }
    return UnsafePointer(methods)
  }()
}
