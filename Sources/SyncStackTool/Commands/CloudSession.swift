import Foundation
import SyncCloud
import SyncStack

/// A store that is open for remote sync, for one pull or push.
struct CloudSession {
  let settings: CloudSettings
  let terminal: Terminal
  /// Name of the command, for errors about its options.
  let command: String
  /// Makes the connection to a server.
  let connect: @Sendable (RemoteAddress) throws -> any CloudTransport

  /// A session with the server that the options, or the store, name.
  init(_ settings: CloudSettings, command: String, on terminal: Terminal) {
    self.init(settings, command: command, on: terminal) { address in
      guard let url = URL(string: address.server) else {
        throw ToolError(
          "The store remembers “\(address.server)”, which is no address. Give --server URL.")
      }
      if url.scheme?.lowercased() == "postgresql" {
        return try PostgreSQLTransport(CloudSession.connection(to: address), app: address.app)
      }
      return try KintoTransport(
        url, app: address.app,
        signIn: .password(address.user, try CloudSession.password(of: address, terminal)))
    }
  }

  init(
    _ settings: CloudSettings, command: String, on terminal: Terminal,
    connect: @escaping @Sendable (RemoteAddress) throws -> any CloudTransport
  ) {
    self.settings = settings
    self.command = command
    self.terminal = terminal
    self.connect = connect
  }

  /// A connection string for libpq, which knows more places for a password than the environment.
  private static func connection(to address: RemoteAddress) -> String {
    var parts = URLComponents(string: address.server)
    parts?.user = address.user
    parts?.password = ProcessInfo.processInfo.environment[CloudSettings.passwordVariable]
    return parts?.string ?? address.server
  }

  private static func password(of address: RemoteAddress, _ terminal: Terminal) throws -> String {
    let name = CloudSettings.passwordVariable
    if let password = ProcessInfo.processInfo.environment[name] { return password }
    let question = "Password of \(address.user) at \(address.server): "
    if let password = try PasswordPrompt.read(question, on: terminal) { return password }
    throw ToolError(
      "There is no password, and no terminal to ask for it. Set \(name) in the environment.")
  }

  /// Opens the store, does the work, and remembers where once it went well. A Ctrl-C cancels it.
  ///
  /// - Parameters:
  ///   - createsStore: Whether a store that is not there is made.
  ///   - left: The sentence about the store when the work was cancelled.
  /// - Returns: The result of the work, and whether the store remembered no server before.
  func run<Output: Sendable>(
    createsStore: Bool, left: String,
    _ work: @escaping @Sendable (CloudEngine) async throws -> Output
  ) async throws -> (output: Output, isFirst: Bool) {
    // A command line that leads nowhere must not begin a history.
    let remembered = try remembered(createsStore: createsStore)
    let address = try settings.address(remembered: remembered, command: command)
    warn(of: address, remembered)
    let transport = try connect(address)
    let newFile = NewStoreFile(settings.store)
    let stack = try newFile.open(on: terminal, open)
    defer { try? stack.close() }
    do {
      let engine = try CloudEngine(stack, transport: transport, scope: settings.scope)
      if !engine.hasEntities {
        terminal.note(
          "! The model has no entity of the \(settings.scope) scope, so nothing travels; the user info "
            + "cloud.scope of an entity says which it is of.")
      }
      let task = Task { try await work(engine) }
      let interrupt = Interrupt { task.cancel() }
      defer { withExtendedLifetime(interrupt) {} }
      let output: Output
      do {
        output = try await task.value
      } catch is CancellationError {
        throw Cancelled(left)
      }
      if remembered != address {
        _ = try stack.store.write(TransactionInfo(author: CloudEngine.author)) {
          try $0.setRemoteAddress(address)
        }
      }
      return (output, remembered == nil)
    } catch {
      newFile.removeIfEmpty(stack)
      throw error
    }
  }

  /// The address that the store remembers; nil when it remembers none, or is still to be made.
  private func remembered(createsStore: Bool) throws -> RemoteAddress? {
    if FileManager.default.fileExists(atPath: settings.store.path) {
      let stack = try DataStack(keptAt: settings.store, isReadOnly: true, wait: settings.wait)
      defer { try? stack.close() }
      return try stack.store.read { try $0.remoteAddress() }
    }
    guard createsStore else {
      throw ToolError("There is no store \(settings.store.path). Check its path.")
    }
    guard settings.model != nil else {
      throw UsageError(
        "--model MODEL is missing: there is no store \(settings.store.relativePath) yet.",
        command: command)
    }
    return nil
  }

  /// Opens the store with a history: without one the edits to send are not known.
  private func open() throws -> DataStack {
    let model =
      try settings.model.map { try ManagedObjectModel(contentsOf: $0) }
      ?? Store.keptModel(at: settings.store)
    return try DataStack(
      model: model, store: .sqlite(settings.store), migration: .refuse, tracksChanges: true,
      busyTimeout: settings.wait)
  }

  /// Says where the store was synced before, when that is elsewhere, and that without encryption
  /// everybody on the way reads the password.
  private func warn(of address: RemoteAddress, _ remembered: RemoteAddress?) {
    if let remembered, remembered != address {
      terminal.note(
        "! So far this store was synced with \(remembered.server), app \(remembered.app), user "
          + "\(remembered.user).")
    }
    let url = URL(string: address.server)
    let local = ["localhost", "127.0.0.1", "::1", "[::1]"]
    if url?.scheme?.lowercased() == "http", !local.contains(url?.host() ?? "") {
      terminal.note("! \(address.server) is not encrypted: the password can be read on its way.")
    }
  }

  /// Runs an operation of an engine, and shows how far it is.
  func run<Output: Sendable>(
    _ operation: AsynchronousOperation<Output>, _ progress: Progress, _ phase: String,
    on engine: CloudEngine
  ) async throws -> Output {
    let display =
      settings.isQuiet
      ? nil
      : ProgressDisplay(on: terminal) {
        ProgressDisplay.Step(
          phase: phase, completed: Int(progress.completedUnitCount),
          total: Int(max(progress.totalUnitCount, 0)), fraction: progress.fractionCompleted)
      }
    defer { display?.end() }
    engine.queue.addOperation(operation)
    return try await operation.value
  }

  /// Shows the outcome, and the problems.
  ///
  /// - Parameters:
  ///   - sentence: For people.
  ///   - line: As JSON.
  func show(_ sentence: String, _ line: String, _ text: CloudText) {
    terminal.print(settings.isJSON ? [line] : [sentence] + text.problems)
  }
}
