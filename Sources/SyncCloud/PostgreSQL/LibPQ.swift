import SyncCore

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Bionic)
  import Bionic
#elseif canImport(WinSDK)
  import WinSDK
#endif

/// PostgreSQL's client library, libpq (https://www.postgresql.org/docs/current/libpq.html), looked
/// for when it is first used: a machine without it builds and runs everything else.
///
/// The functions have the library's names. Its manual says what they mean, and which side frees a
/// result.
struct LibPQ: @unchecked Sendable {
  // Unchecked: pointers to functions, which never change.
  typealias Connection = OpaquePointer
  typealias Result = OpaquePointer
  typealias Canceller = OpaquePointer
  typealias Text = UnsafePointer<CChar>
  typealias Texts = UnsafePointer<Text?>

  let connectdbParams: @convention(c) (Texts, Texts, CInt) -> Connection?
  let finish: @convention(c) (Connection) -> Void
  let status: @convention(c) (Connection) -> CInt
  let errorMessage: @convention(c) (Connection) -> Text?
  let setnonblocking: @convention(c) (Connection, CInt) -> CInt
  let sendQueryParams:
    @convention(c) (
      Connection, Text, CInt, UnsafeRawPointer?, Texts, UnsafeRawPointer?, UnsafeRawPointer?, CInt
    ) -> CInt
  let flush: @convention(c) (Connection) -> CInt
  let isBusy: @convention(c) (Connection) -> CInt
  let getResult: @convention(c) (Connection) -> Result?
  let resultStatus: @convention(c) (Result?) -> CInt
  let resultErrorField: @convention(c) (Result?, CInt) -> Text?
  let ntuples: @convention(c) (Result) -> CInt
  let getvalue: @convention(c) (Result, CInt, CInt) -> Text?
  let getlength: @convention(c) (Result, CInt, CInt) -> CInt
  let getisnull: @convention(c) (Result, CInt, CInt) -> CInt
  let clear: @convention(c) (Result?) -> Void
  let getCancel: @convention(c) (Connection) -> Canceller?
  let cancel: @convention(c) (Canceller, UnsafeMutablePointer<CChar>, CInt) -> CInt
  let freeCancel: @convention(c) (Canceller) -> Void
  let socket: @convention(c) (Connection) -> CInt
  let consumeInput: @convention(c) (Connection) -> CInt
  let notifies: @convention(c) (Connection) -> UnsafeMutableRawPointer?
  let freemem: @convention(c) (UnsafeMutableRawPointer?) -> Void
  let conninfoParse: @convention(c) (Text, UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer?
  let conninfoFree: @convention(c) (UnsafeMutableRawPointer?) -> Void

  /// `PGnotify`, to which ``notifies`` leads.
  struct Notification {
    var channel: UnsafeMutablePointer<CChar>?
    var process: CInt
    var payload: UnsafeMutablePointer<CChar>?
    var next: UnsafeMutableRawPointer?
  }

  /// `PQconninfoOption`, to an array of which ``conninfoParse`` leads.
  struct Option {
    var keyword: UnsafeMutablePointer<CChar>?
    var environment: UnsafeMutablePointer<CChar>?
    var compiled: UnsafeMutablePointer<CChar>?
    var value: UnsafeMutablePointer<CChar>?
    var label: UnsafeMutablePointer<CChar>?
    var display: UnsafeMutablePointer<CChar>?
    var size: CInt
  }

  // Constants of libpq-fe.h and postgres_ext.h.
  static let isConnected: CInt = 0
  static let commandOK: CInt = 1
  static let tuplesOK: CInt = 2
  static let sqlState = CInt(UInt8(ascii: "C"))
  static let primaryMessage = CInt(UInt8(ascii: "M"))

  /// The library.
  ///
  /// - Throws: ``CloudError`` with ``CloudError/Code/unsupported`` where it is not installed.
  static func load() throws(CloudError) -> LibPQ {
    guard let loaded else {
      throw CloudError(
        .unsupported,
        message:
          "PostgreSQL's client library (libpq) is not installed here. Install it: apt install libpq5, "
          + "dnf install libpq, brew install libpq; on Windows put libpq.dll on the PATH.")
    }
    return loaded
  }

  private static let loaded = names.lazy.compactMap(open).first.flatMap { try? LibPQ($0) }

  private struct Missing: Error {}

  private init(_ library: Library) throws {
    func function<Function>(_ name: String) throws -> Function {
      guard let address = Self.symbol("PQ" + name, library) else { throw Missing() }
      return unsafeBitCast(address, to: Function.self)
    }
    connectdbParams = try function("connectdbParams")
    finish = try function("finish")
    status = try function("status")
    errorMessage = try function("errorMessage")
    setnonblocking = try function("setnonblocking")
    sendQueryParams = try function("sendQueryParams")
    flush = try function("flush")
    isBusy = try function("isBusy")
    getResult = try function("getResult")
    resultStatus = try function("resultStatus")
    resultErrorField = try function("resultErrorField")
    ntuples = try function("ntuples")
    getvalue = try function("getvalue")
    getlength = try function("getlength")
    getisnull = try function("getisnull")
    clear = try function("clear")
    getCancel = try function("getCancel")
    cancel = try function("cancel")
    freeCancel = try function("freeCancel")
    socket = try function("socket")
    consumeInput = try function("consumeInput")
    notifies = try function("notifies")
    freemem = try function("freemem")
    conninfoParse = try function("conninfoParse")
    conninfoFree = try function("conninfoFree")
  }

  #if canImport(WinSDK)
    private typealias Library = HMODULE
    private static let names = ["libpq.dll"]

    private static func open(_ name: String) -> Library? {
      name.withCString(encodedAs: UTF16.self) { LoadLibraryW($0) }
    }

    private static func symbol(_ name: String, _ library: Library) -> UnsafeMutableRawPointer? {
      GetProcAddress(library, name).map { unsafeBitCast($0, to: UnsafeMutableRawPointer.self) }
    }
  #else
    private typealias Library = UnsafeMutableRawPointer

    #if canImport(Darwin)
      private static let names = [
        "libpq.5.dylib", "/opt/homebrew/opt/libpq/lib/libpq.5.dylib",
        "/usr/local/opt/libpq/lib/libpq.5.dylib",
      ]
    #else
      private static let names = ["libpq.so.5", "libpq.so"]
    #endif

    private static func open(_ name: String) -> Library? { dlopen(name, RTLD_NOW) }

    private static func symbol(_ name: String, _ library: Library) -> UnsafeMutableRawPointer? {
      dlsym(library, name)
    }
  #endif
}
