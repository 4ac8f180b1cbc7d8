import Foundation
import SyncCore

// Where Foundation is built without the system's own networking, that is a module of its own.
#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Sends requests, each with a time limit for silence: whatever arrives, or is sent, begins it
/// anew, so that a slow line is no dead one.
///
/// Faults of FoundationNetworking decide the form:
/// - It never calls back when a server answers 401 with `WWW-Authenticate: Basic` and there is no
///   delegate. The answer and its body reach the delegate before the challenge does, which is then
///   refused.
/// - A body that went out on a connection that was used before and is closed without an answer is
///   sent once more, but never arrives: only the time limit ends that. So every request with a body
///   has a connection of its own.
/// - Redirects are refused, all of them: credentials never go elsewhere, and a `POST` would arrive
///   as a `GET`.
final class HTTPClient: Sendable {
  struct Answer: Sendable {
    let status: Int
    let body: Data
    let headers: [String: String]

    /// The value of a header, whatever the case of its name.
    func header(_ name: String) -> String? { headers[name.lowercased()] }
  }

  /// For requests without a body.
  private let line: HTTPLine
  private let timeout: Double

  /// - Parameter timeout: Seconds of silence after which a request fails.
  init(timeout: Double) {
    self.timeout = max(Seconds.clamped(timeout), 0.1)
    line = HTTPLine(timeout: self.timeout)
  }

  /// - Throws: ``CloudError``; `CancellationError`.
  func send(_ request: URLRequest) async throws -> Answer {
    try Task.checkCancellation()
    guard request.httpBody != nil else { return try await line.send(request) }
    let line = HTTPLine(timeout: timeout)
    var request = request
    request.setValue("close", forHTTPHeaderField: "Connection")
    return try await line.send(request)
  }
}

/// A session with its delegate.
private final class HTTPLine: Sendable {
  private let session: URLSession
  private let delegate = HTTPDelegate()
  private let timeout: Double

  init(timeout: Double) {
    self.timeout = timeout
    let configuration = URLSessionConfiguration.ephemeral
    configuration.urlCache = nil
    configuration.httpCookieStorage = nil
    configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
    // Counts whole seconds, and does not fire in every case: it comes after ours.
    configuration.timeoutIntervalForRequest = timeout + 5
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: queue)
  }

  deinit {
    session.finishTasksAndInvalidate()
  }

  func send(_ request: URLRequest) async throws -> HTTPClient.Answer {
    let task = session.dataTask(with: request)
    let watchdog = Task { [delegate, timeout] in
      var left = timeout
      while left > 0 {
        try await Task.sleep(for: .seconds(left))
        left = timeout - delegate.silence(of: task)
      }
      delegate.expire(task)
    }
    defer { watchdog.cancel() }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        delegate.await(task, continuation)
        task.resume()
      }
    } onCancel: {
      task.cancel()
    }
  }
}

/// Collects answers. Everything is under the mutex; continuations are resumed without it.
private final class HTTPDelegate: NSObject, URLSessionDataDelegate {
  private struct Exchange {
    let continuation: CheckedContinuation<HTTPClient.Answer, any Error>
    var body = Data()
    var response: HTTPURLResponse?

    /// When anything was last sent or received.
    var heard = ContinuousClock.now

    /// Whether the server asked for credentials: no more of its answer will come.
    var isChallenged = false
    var isExpired = false

    /// Where the server wanted to send the request instead.
    var refusedRedirect: String?
  }

  private let exchanges = Locked<[Int: Exchange]>([:])

  func await(
    _ task: URLSessionTask, _ continuation: CheckedContinuation<HTTPClient.Answer, any Error>
  ) {
    exchanges.withLock { $0[task.taskIdentifier] = Exchange(continuation: continuation) }
  }

  /// Notes something that was heard of a task.
  private func change(_ task: URLSessionTask, _ body: (inout Exchange) -> Void) {
    exchanges.withLock { exchanges in
      guard var exchange = exchanges.removeValue(forKey: task.taskIdentifier) else { return }
      exchange.heard = .now
      body(&exchange)
      exchanges[task.taskIdentifier] = exchange
    }
  }

  /// Seconds since anything was sent or received.
  func silence(of task: URLSessionTask) -> Double {
    let heard = exchanges.withLock { $0[task.taskIdentifier]?.heard }
    return heard.map { ($0.duration(to: .now)) / .seconds(1) } ?? 0
  }

  func expire(_ task: URLSessionTask) {
    change(task) { $0.isExpired = true }
    task.cancel()
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    change(dataTask) { $0.response = response as? HTTPURLResponse }
    completionHandler(.allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    change(dataTask) { $0.body.append(data) }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64,
    totalBytesSent: Int64, totalBytesExpectedToSend: Int64
  ) {
    change(task) { _ in }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler:
      @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    let method = challenge.protectionSpace.authenticationMethod
    guard method == NSURLAuthenticationMethodHTTPBasic || method == NSURLAuthenticationMethodDefault
    else { return completionHandler(.performDefaultHandling, nil) }
    change(task) { $0.isChallenged = true }
    completionHandler(.cancelAuthenticationChallenge, nil)
    task.cancel()
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask,
    willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
    completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    change(task) { $0.refusedRedirect = request.url?.absoluteString ?? "elsewhere" }
    // In this order: a task that is cancelled before it was answered stops the program.
    completionHandler(nil)
    task.cancel()
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
  ) {
    let taken = exchanges.withLock { $0.removeValue(forKey: task.taskIdentifier) }
    guard let taken else { return }
    taken.continuation.resume(with: Self.outcome(of: taken, error, task.originalRequest?.url))
  }

  private static func outcome(
    of exchange: Exchange, _ error: (any Error)?, _ url: URL?
  ) -> Result<HTTPClient.Answer, any Error> {
    if let target = exchange.refusedRedirect {
      return .failure(
        CloudError(
          .redirected,
          message:
            "The server sends on to \(target). Nothing was sent there; give its address if that is meant."
        ))
    }
    if let error, !exchange.isChallenged {
      return .failure(failure(error, isExpired: exchange.isExpired, url))
    }
    guard let response = exchange.response else {
      if exchange.isChallenged {
        return .success(HTTPClient.Answer(status: 401, body: Data(), headers: [:]))
      }
      return .failure(unreachable("It closed the connection without an answer."))
    }
    var headers: [String: String] = [:]
    for (name, value) in response.allHeaderFields {
      headers["\(name)".lowercased()] = "\(value)"
    }
    return .success(
      HTTPClient.Answer(status: response.statusCode, body: exchange.body, headers: headers))
  }

  private static func failure(_ error: any Error, isExpired: Bool, _ url: URL?) -> any Error {
    if isExpired { return unreachable("It did not answer in time.") }
    let code = (error as? URLError)?.code
    if code == .cancelled { return CancellationError() }
    let reason = (error as NSError).localizedDescription
    if code == .cannotConnectToHost || code == .cannotFindHost || code == .dnsLookupFailed {
      let place = url.map { "\($0.host() ?? "")\($0.port.map { ":\($0)" } ?? "")" } ?? "the address"
      return CloudError(
        .unreachable,
        message:
          "There is no answer from \(place) (\(reason)). Is the address right, and does the server run?",
        isClosed: true)
    }
    return unreachable(reason)
  }

  private static func unreachable(_ reason: String) -> CloudError {
    let end = reason.last.map { ".!?".contains($0) } == true ? "" : "."
    return CloudError(
      .unreachable,
      message:
        "The server was not reached: \(reason)\(end) Nothing is lost; sync again when it can be.")
  }
}
