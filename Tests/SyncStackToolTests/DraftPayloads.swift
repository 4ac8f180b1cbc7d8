/// Answers as servers give them, to draw models from.
enum DraftPayloads {
  struct Payload: Sendable {
    let name: String
    let file: String
    let json: String
    var options: [String] = []
    /// The entity that `doctor` is to be asked for.
    let entity: String
    var path: [String] = []
  }

  static let all = [
    issues, customers, orders, mixed, comments, project, invoices, countries, empty, measurements,
    rooms,
  ]

  /// In the manner of a code hosting site.
  static let issues = Payload(
    name: "issues", file: "issues.json",
    json: #"""
      [
        {"id": 1001, "node_id": "I_1", "url": "https://api.example.com/repos/acme/app/issues/1",
         "labels_url": "https://api.example.com/repos/acme/app/issues/1/labels{/name}", "number": 1,
         "title": "Crash on launch", "state": "open", "locked": false, "comments": 2,
         "user": {"login": "ada", "id": 11, "node_id": "U_1", "avatar_url": "https://a.example.com/u/11?v=4",
                  "type": "User", "site_admin": false},
         "labels": [
           {"id": 501, "node_id": "L_1", "url": "https://api.example.com/labels/bug", "name": "bug",
            "color": "d73a4a", "default": true, "description": "Something isn't working"},
           {"id": 502, "node_id": "L_2", "url": "https://api.example.com/labels/ios", "name": "ios",
            "color": "0e8a16", "default": false, "description": null}],
         "assignee": {"login": "bob", "id": 12, "node_id": "U_2", "avatar_url": "https://a.example.com/u/12?v=4",
                      "type": "User", "site_admin": true},
         "assignees": [{"login": "bob", "id": 12, "node_id": "U_2", "avatar_url": "https://a.example.com/u/12?v=4",
                        "type": "User", "site_admin": true}],
         "milestone": null, "created_at": "2024-03-01T09:30:00Z", "updated_at": "2024-03-02T10:00:00Z",
         "closed_at": null, "author_association": "OWNER", "body": "It crashes.", "performed_via_app": null,
         "reactions": {"url": "https://api.example.com/reactions/1", "total_count": 1, "+1": 1, "-1": 0},
         "pull_request": {"url": "https://api.example.com/pulls/1", "merged_at": null}},
        {"id": 1002, "node_id": "I_2", "url": "https://api.example.com/repos/acme/app/issues/2",
         "labels_url": "https://api.example.com/repos/acme/app/issues/2/labels{/name}", "number": 2,
         "title": "Dark mode", "state": "closed", "locked": false, "comments": 0,
         "user": {"login": "bob", "id": 12, "node_id": "U_2", "avatar_url": "https://a.example.com/u/12?v=4",
                  "type": "User", "site_admin": true},
         "labels": [
           {"id": 501, "node_id": "L_1", "url": "https://api.example.com/labels/bug", "name": "bug",
            "color": "d73a4a", "default": true, "description": "Something isn't working"}],
         "assignee": null, "assignees": [],
         "milestone": {"id": 901, "number": 1, "title": "v1", "due_on": "2024-06-01T07:00:00Z",
                       "open_issues": 4, "creator": {"login": "ada", "id": 11, "node_id": "U_1",
                       "avatar_url": "https://a.example.com/u/11?v=4", "type": "User", "site_admin": false}},
         "created_at": "2024-03-03T09:30:00Z", "updated_at": "2024-03-04T10:00:00Z",
         "closed_at": "2024-03-04T10:00:00Z", "author_association": "NONE", "body": null,
         "performed_via_app": null,
         "reactions": {"url": "https://api.example.com/reactions/2", "total_count": 0, "+1": 0, "-1": 0}},
        {"id": 1003, "node_id": "I_3", "url": "https://api.example.com/repos/acme/app/issues/3",
         "labels_url": "https://api.example.com/repos/acme/app/issues/3/labels{/name}", "number": 3,
         "title": "Typo", "state": "open", "locked": true, "comments": 0,
         "user": {"login": "ada", "id": 11, "node_id": "U_1", "avatar_url": "https://a.example.com/u/11?v=4",
                  "type": "User", "site_admin": false},
         "labels": [], "assignee": null, "assignees": [], "milestone": null,
         "created_at": "2024-03-05T09:30:00Z", "updated_at": "2024-03-05T09:30:00Z", "closed_at": null,
         "author_association": "OWNER", "body": null, "performed_via_app": null,
         "reactions": {"url": "https://api.example.com/reactions/3", "total_count": 0, "+1": 0, "-1": 0}}
      ]
      """#, entity: "Issue")

  /// In the manner of a payment service: text keys, seconds, lists in objects, keys or objects.
  static let customers = Payload(
    name: "customers", file: "answer.json",
    json: #"""
      {"object": "list", "has_more": false, "url": "/v1/customers", "data": [
        {"id": "cus_1", "object": "customer", "created": 1700000000, "balance": 0, "currency": null,
         "email": "ada@example.com", "livemode": false, "metadata": {}, "preferred_locales": ["en"],
         "address": {"city": "London", "country": "GB", "line1": "1 Way", "line2": null},
         "invoice_settings": {"custom_fields": null, "footer": null},
         "sources": {"object": "list", "has_more": false, "total_count": 1, "url": "/v1/sources", "data": [
           {"id": "card_1", "object": "card", "brand": "Visa", "last4": "4242", "exp_month": 8,
            "exp_year": 2030, "customer": "cus_1"}]},
         "latest_invoice": "in_1"},
        {"id": "cus_2", "object": "customer", "created": 1700000500, "balance": -250, "currency": null,
         "email": null, "livemode": false, "metadata": {"order": "6735"}, "preferred_locales": [],
         "address": null, "invoice_settings": {"custom_fields": null, "footer": null},
         "sources": {"object": "list", "has_more": false, "total_count": 0, "url": "/v1/sources", "data": []},
         "latest_invoice": {"id": "in_2", "object": "invoice", "amount_due": 1999, "paid": true,
                            "created": 1700000400, "customer": "cus_2"}},
        {"id": "cus_3", "object": "customer", "created": 1700000900, "balance": 0, "currency": null,
         "email": "eve@example.com", "livemode": false, "metadata": {}, "preferred_locales": ["de", "en"],
         "address": null, "invoice_settings": {"custom_fields": null, "footer": "Thanks"},
         "sources": {"object": "list", "has_more": false, "total_count": 1, "url": "/v1/sources", "data": [
           {"id": "card_2", "object": "card", "brand": "Amex", "last4": "0005", "exp_month": 1,
            "exp_year": 2031, "customer": "cus_3"}]},
         "latest_invoice": null}
      ]}
      """#, options: ["--at", "data", "--entity", "Customer"], entity: "Customer",
    path: ["--at", "data"])

  /// Objects in objects, lists of everything.
  static let orders = Payload(
    name: "orders", file: "orders.json",
    json: #"""
      [{"orderId": "7f0c5c1e-8f4b-4b61-9d0c-0a4c2b5d9a01", "placedAt": "2024-05-06 07:08:09", "total": "19.90",
        "customer": {"id": 1, "name": "Ada", "addresses": [{"street": "Way 1", "zip": "8001"}]},
        "shipping": {"carrier": {"name": "Post", "tracking": {"code": "X1", "url": "https://t.example.com/X1"}},
                     "cost": 5, "gift": false},
        "lines": [{"sku": "a", "product": {"id": 5, "name": "Tea"}, "quantity": 2, "price": 4.5}],
        "tags": ["new", "paid"], "scores": [1, 2.5], "flags": [true], "matrix": [[1, 2], [3]],
        "attributes": {"colour": "red"}, "notes": []},
       {"orderId": "7f0c5c1e-8f4b-4b61-9d0c-0a4c2b5d9a02", "placedAt": "2024-05-07", "total": 12,
        "customer": {"id": 2, "name": "Bob", "addresses": []},
        "shipping": null, "lines": [], "tags": [], "scores": [], "flags": [], "matrix": [],
        "attributes": {"size": "L"}, "notes": []},
       {"orderId": "7f0c5c1e-8f4b-4b61-9d0c-0a4c2b5d9a03", "placedAt": "2024-05-08T00:00:00+02:00",
        "total": 7.25, "customer": {"id": 1, "name": "Ada", "addresses": []},
        "shipping": {"carrier": null, "cost": 4.9, "gift": true}, "lines": [], "tags": ["a"], "scores": [3],
        "flags": [false], "matrix": [], "attributes": {}, "notes": []}]
      """#, entity: "Order")

  /// Nulls everywhere, numbers of all kinds.
  static let mixed = Payload(
    name: "mixed", file: "things.json",
    json: #"""
      [{"id": 1, "none": null, "count": 1, "ratio": 1, "text": "7", "flag": true, "big": 1, "any": 1,
        "description": "a", "type": "x", "class": "c", "2fa": true, "URL": "u", "url": "v", "first-name": "A"},
       {"id": 2, "none": null, "count": 2, "ratio": 2.5, "text": 8, "flag": 1, "big": 18446744073709551615,
        "any": "x", "description": null, "type": "y", "class": "c", "2fa": false, "URL": "u", "url": "v",
        "first-name": "B"},
       {"id": 3, "none": null, "count": 3, "ratio": 1e3, "text": 9.5, "flag": 0, "big": 3, "any": [1],
        "description": "c", "type": "z", "class": "c", "2fa": true, "URL": "u", "url": "v", "first-name": "C"}]
      """#, entity: "Thing")

  /// A tree, with keys of others in it.
  static let comments = Payload(
    name: "comments", file: "comments.ndjson",
    json: #"""
      {"id": 1, "text": "a", "author": {"id": 9, "name": "Ada"}, "post_id": 3, "replies": [{"id": 2, "text": "b", "author": {"id": 8, "name": "Bob"}, "post_id": 3, "replies": [{"id": 3, "text": "c", "author": {"id": 9, "name": "Ada"}, "post_id": 3, "replies": []}]}]}
      {"id": 4, "text": "d", "author": null, "post_id": 3, "replies": []}
      """#, entity: "Comment")

  /// Relationships by keys to objects elsewhere in the document.
  static let project = Payload(
    name: "project", file: "project.json",
    json: #"""
      {"id": 1, "name": "App", "owner_id": 21,
       "members": [{"id": 21, "name": "Ada"}, {"id": 22, "name": "Bob"}],
       "categories": [{"id": 31, "title": "One"}, {"id": 32, "title": "Two"}],
       "tasks": [{"id": 41, "title": "x", "member_id": 21, "category_ids": [31, 32]},
                 {"id": 42, "title": "y", "member_id": null, "category_ids": []},
                 {"id": 43, "title": "z", "member_id": 22, "category_ids": [31]}]}
      """#, entity: "Project")

  /// Keys that count per owner.
  static let invoices = Payload(
    name: "invoices", file: "invoices.json",
    json: #"""
      [{"id": 1, "positions": [{"id": 1, "text": "Tea"}, {"id": 2, "text": "Cup"}]},
       {"id": 2, "positions": [{"id": 1, "text": "Pot"}]}]
      """#, entity: "Invoice")

  /// No key by name.
  static let countries = Payload(
    name: "countries", file: "countries.json",
    json: #"""
      [{"region": "Europe", "cca3": "LIE", "name": {"common": "Liechtenstein", "native": {"deu": "Liechtenstein"}}},
       {"region": "Europe", "cca3": "AUT", "name": {"common": "Austria", "native": {"bar": "Österreich"}}},
       {"region": "Asia", "cca3": "JPN", "name": {"common": "Japan", "native": {"jpn": "日本"}}}]
      """#, entity: "Country")

  /// One object, empty inside.
  static let empty = Payload(
    name: "empty", file: "settings.json",
    json: #"{"id": 1, "list": [], "map": {}, "text": "", "nothing": null}"#, entity: "Setting")

  /// Two pages of one list, the second with more than the first.
  static let measurements = Payload(
    name: "measurements", file: "measurements.json",
    json: #"{"results": [{"uuid": "A", "value": 1, "at": 1700000000123, "sensor": {"id": "s1"}}]}"#,
    options: ["--at", "results", "--entity", "Measurement"], entity: "Measurement",
    path: ["--at", "results"])

  /// Objects by their keys, as of a Firebase database.
  static let rooms = Payload(
    name: "rooms", file: "chat.json",
    json: #"""
      {"rooms": {"-Nabc_1": {"title": "One", "owner": {"id": "ann"}}, "-Nabc_2": {"title": "Two"}, "3": {"title": "One"}}}
      """#,
    options: ["--at", "rooms.*"], entity: "Room", path: ["--at", "rooms.*"])
}
