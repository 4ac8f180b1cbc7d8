import Foundation
import SyncStack
import TestSupport
import Testing

@testable import SyncCloud

// Where Foundation is built without the system's own networking, that is a module of its own.
#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A real server behind a proxy that makes faults, with an account of its own.
struct TestProxy {
  /// Where the server is reached through the proxy, and without it.
  let address: URL
  let server: URL
  let account: String

  init(_ kind: TestServer.Kind = .memory) async throws {
    server = try TestServer.address(kind)
    address = try TestServer.startProxy(of: server)
    account = try await TestServer.account(on: server)
  }

  /// Before a server of one's own, for an account of it.
  init(before server: URL, account: String) throws {
    (self.server, self.account) = (server, account)
    address = try TestServer.startProxy(of: server)
  }

  /// A transport through the proxy.
  func transport(timeout: Double = 120, app: String = "tests") throws -> KintoTransport {
    try KintoTransport(
      address, app: app, signIn: .password(account, TestServer.password), timeout: timeout)
  }

  /// A transport that no fault meets.
  func plain(app: String = "tests") throws -> KintoTransport {
    try KintoTransport(
      server, app: app, signIn: .password(account, TestServer.password), timeout: 120)
  }

  /// Sets the fault from now on.
  func set(_ fault: Fault, of kind: Fault.Kind? = nil, times: Int? = nil) async throws {
    var form = fault.form
    form["kind"] = kind.map { .string($0.rawValue) }
    form["times"] = times.map { .integer(Int64($0)) }
    _ = try await control("PUT", "__fault__", JSONValue.object(form).data())
  }

  /// Nothing goes wrong any more.
  func clear() async throws { _ = try await control("DELETE", "__fault__") }

  /// A request that has passed.
  struct Request {
    let kind: String
    let path: String
    let status: Int64

    /// Records in the answer, of which it may have only the times.
    let records: Int64

    /// The version that the answer was to be newer than.
    let condition: String
  }

  /// The requests since this was last asked.
  func log() async throws -> [Request] {
    let json = try JSONValue(parsing: try await control("GET", "__log__"))
    return (json.arrayValue ?? []).map { line in
      Request(
        kind: line["kind"]?.stringValue ?? "", path: line["path"]?.stringValue ?? "",
        status: line["status"]?.integerValue ?? 0,
        records: line["records"]?.integerValue ?? 0,
        condition: line["condition"]?.stringValue ?? "")
    }
  }

  private func control(_ method: String, _ path: String, _ body: Data? = nil) async throws -> Data {
    var request = URLRequest(url: address.appending(path: path))
    request.httpMethod = method
    request.httpBody = body
    return try await URLSession.shared.data(for: request).0
  }
}

/// A fault between an engine and its server.
struct Fault: Sendable, CustomTestStringConvertible {
  enum Kind: String, CaseIterable {
    case root, zone, bucket, make, changes, batch
  }

  let name: String
  let form: JSONObject

  var testDescription: String { name }

  init(_ name: String, _ form: JSONObject) {
    self.name = name
    self.form = form
  }

  /// An answer in the place of the server's.
  static func answer(
    _ status: Int64, _ name: String = "", headers: JSONObject = [:], body: String = "",
    mode: String = "answer"
  ) -> Fault {
    Fault(
      "\(mode == "after" ? "done, but " : "")\(status) \(name)",
      [
        "mode": .string(mode), "status": .integer(status), "headers": .object(headers),
        "body": .string(body),
      ])
  }

  /// Another connection than a good one.
  static func line(_ mode: String) -> Fault { Fault(mode, ["mode": .string(mode)]) }

  private static let html = "<html><body>Sign in to the portal</body></html>"

  /// Faults that are over when they are over: none of them says anything about records.
  static let all: [Fault] =
    [400, 403, 404, 405, 408, 409, 410, 412, 413, 429, 500, 501, 502, 503, 504].map {
      answer($0, "of a proxy", headers: ["Content-Type": "text/html"], body: html)
    } + [
      answer(200, "with HTML", body: html), answer(200, "with nothing"),
      answer(200, "with other JSON", body: #"{"ok": true}"#),
      answer(200, "with a list", body: "[1, 2]"),
      answer(200, "with half a document", body: #"{"responses": [{"status"#),
      answer(200, "with deep JSON", body: String(repeating: "[", count: 5000)),
      answer(204), answer(304), answer(206, "with a part", body: #"{"data""#),
      answer(301, headers: ["Location": "http://localhost:1/v1/"]),
      answer(302, "elsewhere", headers: ["Location": "https://example.invalid/"]),
      answer(307, "to itself", headers: ["Location": "/v1/"]),
      answer(429, "for inf", headers: ["Retry-After": "inf"]),
      answer(503, "for 1e30", headers: ["Retry-After": "1e30"]),
      answer(503, "for nan", headers: ["Retry-After": "nan", "Backoff": "-1"]),
      answer(500, "", mode: "after"), answer(502, "with HTML", body: html, mode: "after"),
      answer(404, "of another Kinto", body: #"{"code":404,"errno":110}"#),
      answer(200, "with numbers", body: #"{"data":[{"id":"a","last_modified":1e300}]}"#),
      Fault(
        "marks of the end of time",
        ["mode": "edit", "headers": ["Date": "no date", "Backoff": "inf"]]),
      line("early"), line("close"), line("lost"), line("cut"), line("garbage"), line("stall"),
      line("hang"),
    ]
}
