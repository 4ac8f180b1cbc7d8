import Foundation
import SyncStack
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The meaning of answers of an HTTP server.
@Suite struct HTTPAnswerTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let status: Int
    var body = ""
    var headers: [String: String] = [:]
    let answer: OutboxAnswer

    var testDescription: String { "\(status) \(body.prefix(20))" }
  }

  static let cases: [Case] = [
    Case(status: 201, body: #"{"id": 5}"#, answer: .accepted(["id": 5])),
    Case(status: 200, body: "[]", answer: .accepted()),
    Case(status: 204, answer: .accepted()),
    // The request is accepted: the body is about that.
    Case(status: 202, body: #"{"id": "job-1", "status": "queued"}"#, answer: .accepted()),
    Case(
      status: 207, body: #"{"results": [{"status": 422}]}"#,
      answer: .refused(
        "Status 207: several answers in one, which the handler has to read itself.")),
    Case(status: 303, headers: ["Location": "/orders/5"], answer: .refused("Status 303.")),
    Case(status: 200, body: "ok", headers: ["Content-Type": "text/plain"], answer: .accepted()),
    Case(
      status: 200, body: "<html>Sign in</html>", headers: ["Content-Type": "text/html"],
      answer: .retry(reason: "Status 200, but the body is not JSON.")),
    Case(
      status: 201, body: #"{"id": "#, headers: ["Content-Type": "application/json"],
      answer: .retry(reason: "Status 201, but the body is not JSON.")),
    Case(status: 404, answer: .gone),
    Case(status: 410, answer: .gone),
    Case(status: 409, body: #"{"id": 5}"#, answer: .conflict(["id": 5])),
    Case(status: 412, answer: .conflict()),
    Case(
      status: 429, headers: ["Retry-After": "30"],
      answer: .retry(after: 30, reason: "Status 429.")),
    Case(status: 503, headers: ["Retry-After": "nan"], answer: .retry(reason: "Status 503.")),
    Case(status: 503, headers: ["Retry-After": "1e400"], answer: .retry(reason: "Status 503.")),
    Case(status: 500, body: "{}", answer: .retry(reason: "Status 500.")),
    Case(status: 501, answer: .refused("Status 501.")),
    Case(status: 422, body: #"{"message": "too late"}"#, answer: .refused("Status 422: too late")),
    Case(
      status: 400, body: #"{"error": {"code": 7, "message": "no such card"}}"#,
      answer: .refused("Status 400: no such card")),
    Case(
      status: 422, body: #"{"errors": {"title": ["can't be blank"]}}"#,
      answer: .refused("Status 422: title: can't be blank")),
    Case(
      status: 422, body: #"{"errors": [{"detail": "is taken"}]}"#,
      answer: .refused("Status 422: is taken")),
    Case(
      status: 422, body: #"{"errors": {"title": ["can't be blank", "is odd"], "price": ["is 0"]}}"#,
      answer: .refused("Status 422: title: can't be blank; is odd; price: is 0")),
    Case(
      status: 422,
      body:
        #"{"errors": [{"status": "422", "title": "Invalid", "detail": "No name."}, {"title": "No key"}]}"#,
      answer: .refused("Status 422: No name.; No key")),
    Case(
      status: 400, body: #"{"type": "about:blank", "title": "Bad", "detail": "No such item."}"#,
      answer: .refused("Status 400: No such item.")),
    Case(
      status: 402, body: #"{"error": {"type": "card_error", "message": "Declined."}}"#,
      answer: .refused("Status 402: Declined.")),
    Case(status: 503, headers: ["Backoff": "30"], answer: .retry(after: 30, reason: "Status 503.")),
    Case(status: 413, body: "Too large", answer: .refused("Status 413: Too large")),
    // GitHub
    Case(
      status: 422,
      body:
        #"{"message": "Validation Failed", "errors": [{"resource": "Issue", "field": "title", "code": "missing"}]}"#,
      answer: .refused("Status 422: Validation Failed: title: missing")),
    Case(
      status: 403, body: #"{"message": "Secondary rate limit."}"#, headers: ["Retry-After": "60"],
      answer: .retry(after: 60, reason: "Status 403.")),
    Case(
      status: 403, body: #"{"message": "Not yours."}"#, headers: ["Backoff": "60"],
      answer: .refused("Status 403: Not yours.")),
    // PostgREST
    Case(status: 201, body: #"[{"id": 5}]"#, answer: .accepted(["id": 5])),
    Case(status: 201, body: #"[{"id": 5}, {"id": 6}]"#, answer: .accepted()),
    // PostgREST, asked for one object with `Accept: application/vnd.pgrst.object+json`
    Case(
      status: 406,
      body:
        #"{"code": "PGRST116", "details": "The result contains 0 rows", "hint": null, "message": "JSON object requested, multiple (or no) rows returned"}"#,
      answer: .gone),
    Case(
      status: 406,
      body:
        #"{"details": "Results contain 0 rows, application/vnd.pgrst.object+json requires 1 row", "message": "JSON object requested, multiple (or no) rows returned"}"#,
      answer: .gone),
    Case(
      status: 406,
      body:
        #"{"code": "PGRST116", "details": "The result contains 10 rows", "hint": null, "message": "JSON object requested, multiple (or no) rows returned"}"#,
      answer: .refused(
        "Status 406: JSON object requested, multiple (or no) rows returned: The result contains 10 rows"
      )),
    Case(
      status: 406, body: #"{"message": "Not acceptable."}"#,
      answer: .refused("Status 406: Not acceptable.")),
  ]

  /// Where the object is that was made, without saying more of it.
  static let places: [(String, JSONValue?)] = [
    ("/orders/5", "5"), ("https://shop.example/api/orders/5/", "5"), ("/orders/5?lang=de", "5"),
    ("/orders/a%20b", "a b"), ("/orders?id=eq.5", "5"), ("/orders?id=eq.5&lang=eq.de", nil),
    ("http://127.0.0.1/odata/Orders(5)", "5"), ("/Orders('a,b')", "a,b"),
    ("/Orders(id=5,lang='de')", nil), ("/Orders()", nil), ("/orders", nil), ("/", nil), ("", nil),
    ("/orders/PO%2F24%2F17", "PO/24/17"), ("/Orders(17L)", "17"), ("/Orders(ID='a')", "a"),
    ("/Orders(ID=5)", "5"), ("/Orders('O''Neil')", "O'Neil"), ("/Orders('a',lang='de')", nil),
    ("/Orders(guid'3f2504e0-4f89-11d3')", "3f2504e0-4f89-11d3"), ("/Orders(')", nil),
  ]

  @Test(arguments: places) func aPlaceTellsTheKey(_ place: String, _ key: JSONValue?) throws {
    for status in [201, 204] {
      let made = Case(status: status, headers: ["Location": place], answer: .accepted(key))
      #expect(try answer(made) == made.answer)
      let odata = Case(status: status, headers: ["OData-EntityId": place], answer: .accepted(key))
      #expect(try answer(odata) == odata.answer)
    }
    // “Created”, as Express says it.
    let text = Case(status: 201, body: "Created", headers: ["Location": place], answer: .gone)
    #expect(try answer(text) == .accepted(key))
    let whole = Case(status: 201, body: #"{"id": 7}"#, headers: ["Location": place], answer: .gone)
    #expect(try answer(whole) == .accepted(["id": 7]))
    let other = Case(status: 200, headers: ["Location": place], answer: .gone)
    #expect(try answer(other) == .accepted())
  }

  /// Reasons as servers write them, of any status that is refused.
  static let reasons: [(body: String, reason: String)] = [
    // Django, Rails, ASP.NET
    (#"{"name": ["This field is required."]}"#, "name: This field is required."),
    (
      #"{"lines": [{}, {"text": ["May not be blank."]}], "non_field_errors": ["Too late."]}"#,
      "lines: text: May not be blank.; Too late."
    ),
    (#"{"detail": "Not found."}"#, "Not found."),
    (
      #"{"title": "One or more errors.", "status": 400, "errors": {"Name": ["Is required."]}}"#,
      "Name: Is required."
    ),
    (
      ##"{"type": "about:blank", "title": "Bad", "errors": [{"detail": "is 0", "pointer": "#/age"}]}"##,
      "Bad: age: is 0"
    ),
    // FastAPI
    (
      #"{"detail": [{"loc": ["body", "name"], "msg": "Field required", "type": "missing"}]}"#,
      "name: Field required"
    ),
    // JSON:API
    (
      #"{"errors": [{"title": "Invalid", "detail": "is blank", "source": {"pointer": "/data/attributes/name"}}]}"#,
      "name: is blank"
    ),
    // PostgREST, PocketBase, Strapi, OData, Spring, NestJS
    (
      #"{"code": "23502", "details": "Failing row.", "hint": null, "message": "null value in “name”"}"#,
      "null value in “name”: Failing row."
    ),
    (
      #"{"code": 400, "message": "Failed.", "data": {"title": {"code": "required", "message": "Missing."}}}"#,
      "Failed.: title: Missing."
    ),
    (
      #"{"data": null, "error": {"message": "2 errors", "details": {"errors": [{"path": ["name"], "message": "is blank"}]}}}"#,
      "2 errors: name: is blank"
    ),
    (
      #"{"error": {"code": "x", "message": "Bad.", "details": [{"target": "Name", "message": "is blank"}]}}"#,
      "Bad.: Name: is blank"
    ),
    (
      #"{"status": 400, "error": "Bad Request", "message": "", "path": "/orders", "errors": [{"field": "name", "defaultMessage": "is blank"}]}"#,
      "Bad Request: name: is blank"
    ),
    (
      #"{"statusCode": 400, "message": ["name is blank"], "error": "Bad Request"}"#, "name is blank"
    ),
    // No errors of fields.
    (#"{"id": 5, "tags": ["a"]}"#, #"{"id": 5, "tags": ["a"]}"#),
  ]

  @Test(arguments: reasons) func aReasonNamesItsField(_ body: String, _ reason: String) throws {
    let refused = Case(status: 400, body: body, answer: .refused("Status 400: \(reason)"))
    #expect(try answer(refused) == refused.answer)
  }

  @Test func aMutationThatFailedIsRefusedWhateverTheStatus() throws {
    let failed = Case(
      status: 200, body: #"{"data": {"make": null}, "errors": [{"message": "too late"}]}"#,
      answer: .refused("Status 200: too late"))
    #expect(try answer(failed, at: "data.make") == failed.answer)
    #expect(try answer(failed) == failed.answer)
    let shopify = Case(
      status: 200,
      body:
        #"{"data": {"make": {"order": null, "userErrors": [{"field": ["note"], "message": "is blank"}]}}}"#,
      answer: .refused("Status 200: note: is blank"))
    #expect(try answer(shopify, at: "data.make.order") == shopify.answer)
    // A part of the mutation.
    let made = Case(
      status: 200, body: #"{"data": {"make": {"id": 5}}, "errors": [{"message": "no price"}]}"#,
      answer: .accepted(["id": 5]))
    #expect(try answer(made, at: "data.make") == made.answer)
    // An object that has errors.
    let job = Case(status: 200, body: #"{"id": 5, "errors": ["late"]}"#, answer: .gone)
    #expect(try answer(job) == .accepted(["id": 5, "errors": ["late"]]))
    let fine = Case(status: 200, body: #"{"data": {"make": null}, "errors": []}"#, answer: .gone)
    #expect(try answer(fine, at: "data.make") == .accepted())
  }

  @Test(arguments: cases) func aStatusAndABodyMakeAnAnswer(_ expected: Case) throws {
    #expect(try answer(expected) == expected.answer)
  }

  @Test func theObjectMayLieInAnEnvelope() throws {
    let enveloped = Case(status: 201, body: #"{"data": {"order": {"id": 5}}}"#, answer: .gone)
    #expect(try answer(enveloped, at: "data.order") == .accepted(["id": 5]))
    #expect(try answer(enveloped, at: "data.orders[0]") == .accepted())
    // An error has no envelope, and is no version of the object.
    let error = Case(status: 409, body: #"{"errors": {"title": ["is taken"]}}"#, answer: .gone)
    #expect(try answer(error, at: "order") == .conflict(["errors": ["title": ["is taken"]]]))
    let other = Case(status: 409, body: #"{"orders": {"id": 5}}"#, answer: .gone)
    #expect(try answer(other, at: "order") == .conflict())
    let later = Case(status: 202, body: #"{"order": {"id": 5}}"#, answer: .gone)
    #expect(try answer(later, at: "order") == .accepted(["id": 5]))
  }

  private func answer(_ expected: Case, at path: JSONPath? = nil) throws -> OutboxAnswer {
    let url = try #require(URL(string: "http://127.0.0.1/orders"))
    let response = try #require(
      HTTPURLResponse(
        url: url, statusCode: expected.status, httpVersion: "1.1", headerFields: expected.headers))
    return OutboxAnswer(Data(expected.body.utf8), response, at: path)
  }
}
