import Foundation
import SyncCore

// Where Foundation is built without the system's own networking, that is a module of its own.
#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Sends requests one by one, each with a time limit of its own.
///
/// A session with a delegate, because FoundationNetworking never calls back when a server answers 401 with
/// `WWW-Authenticate: Basic` and there is none: the answer and its body reach the delegate before the challenge does,
/// which is then refused. Redirects to another origin are refused as well, so that credentials never go there.
final class HTTPClient: Sendable {
  struct Answer: Sendable {
    let status: Int
    let body: Data
    let headers: [String: String]

    /// The value of a header, whatever the case of its name.
    func header(_ name: String) -> String? { headers[name.lowercased()] }
  }

  private let session: URLSession
  private let delegate: HTTPDelegate
  private let timeout: Double

  /// - Parameter timeout: Seconds until an unanswered request fails.
  init(timeout: Double) {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.urlCache = nil
    configuration.httpCookieStorage = nil
    configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
    configuration.timeoutIntervalForRequest = timeout
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    delegate = HTTPDelegate()
    self.timeout = timeout
    session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: queue)
  }

  deinit {
    session.invalidateAndCancel()
  }

  /// - Throws: ``CloudError``; `CancellationError`.
  func send(_ request: URLRequest) async throws -> Answer {
    try Task.checkCancellation()
    let task = session.dataTask(with: request)
    // The session's own limit does not fire in every case.
    let watchdog = DispatchWorkItem { [delegate] in delegate.expire(task) }
    DispatchQueue.global().asyncAfter(deadline: .now() + timeout, execute: watchdog)
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

    /// Whether the server asked for credentials: what it answered is all there is.
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

  func expire(_ task: URLSessionTask) {
    let isRunning = exchanges.withLock { exchanges in
      exchanges[task.taskIdentifier]?.isExpired = true
      return exchanges[task.taskIdentifier] != nil
    }
    if isRunning { task.cancel() }
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    let response = response as? HTTPURLResponse
    exchanges.withLock { $0[dataTask.taskIdentifier]?.response = response }
    completionHandler(.allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    exchanges.withLock { $0[dataTask.taskIdentifier]?.body.append(data) }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler:
      @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    let method = challenge.protectionSpace.authenticationMethod
    guard method == NSURLAuthenticationMethodHTTPBasic || method == NSURLAuthenticationMethodDefault
    else { return completionHandler(.performDefaultHandling, nil) }
    exchanges.withLock { $0[task.taskIdentifier]?.isChallenged = true }
    completionHandler(.cancelAuthenticationChallenge, nil)
    task.cancel()
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask,
    willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
    completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    let isSameOrigin =
      task.originalRequest?.url.map(HTTPDelegate.origin) == request.url.map(HTTPDelegate.origin)
    if !isSameOrigin {
      let target = request.url?.absoluteString ?? "elsewhere"
      exchanges.withLock { $0[task.taskIdentifier]?.refusedRedirect = target }
      task.cancel()
    }
    completionHandler(isSameOrigin ? request : nil)
  }

  private static func origin(_ url: URL) -> String {
    "\(url.scheme ?? "")://\(url.host ?? ""):\(url.port ?? 0)"
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
  ) {
    let taken = exchanges.withLock { $0.removeValue(forKey: task.taskIdentifier) }
    guard let taken else { return }
    taken.continuation.resume(with: Self.outcome(of: taken, error))
  }

  private static func outcome(
    of exchange: Exchange, _ error: (any Error)?
  ) -> Result<HTTPClient.Answer, any Error> {
    if let target = exchange.refusedRedirect {
      return .failure(
        CloudError(
          .redirected,
          message:
            "The server sends on to \(target), which is another origin. Nothing was sent there; give "
            + "its address if that is meant."))
    }
    if let error, !exchange.isChallenged {
      if exchange.isExpired { return .failure(unreachable("It did not answer in time.")) }
      if (error as? URLError)?.code == .cancelled { return .failure(CancellationError()) }
      return .failure(unreachable("\((error as NSError).localizedDescription)"))
    }
    guard let response = exchange.response ?? (nil as HTTPURLResponse?) else {
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

  private static func unreachable(_ reason: String) -> CloudError {
    let end = reason.last.map { ".!?".contains($0) } == true ? "" : "."
    return CloudError(
      .unreachable,
      message:
        "The server was not reached: \(reason)\(end) Nothing is lost; sync again when it can be.")
  }
}
