import Testing

/// Two answers of one API: the first, of which a model is drawn, and a later one that differs
/// from it as the documentation of the API says it may. Forms are those of the API, values our own.
struct LaterAnswer: Sendable, CustomTestStringConvertible {
  let name: String
  let entity: String
  /// Where the list lies; nil where the document is the list, or the object.
  var path: String?
  /// How the later answer differs.
  let difference: String
  let first: String
  let second: String
  /// Texts that the draft, or the report of the later sync, has to have.
  var said: [String] = []
  /// Values that the later answer leaves out, and that stay as they were, as every draft says.
  var stays: [String] = []
  /// Keys that say where an object stands, which an export says by its place.
  var places: Set<String> = []

  var testDescription: String { "\(name): \(difference)" }
  var at: [String] { path.map { ["--at", $0] } ?? [] }

  static let all =
    [
      github, gitLab, stripe, shopify, firestore, airtable, notion, jira, trello, spotify, weather,
    ] + [
      earthquakes, fhir, mastodon, discord, reddit, calendar, graph, musicBrainz, coins, food,
      films, videos, hackerNews,
    ]

  static let github = LaterAnswer(
    name: "GitHub issues", entity: "Issue",
    difference: "milestone and assignee were null, texts become null, a label of two issues",
    first: #"""
      [{"id": 1, "number": 7, "title": "A", "body": "x", "comments": 0, "locked": false, "milestone": null,
        "assignee": null, "closed_at": null, "user": {"id": 9, "login": "ann"}, "labels": [{"id": 5, "name": "bug"}]},
       {"id": 2, "number": 8, "title": "B", "body": "y", "comments": 3, "locked": false, "milestone": null,
        "assignee": null, "closed_at": null, "user": {"id": 9, "login": "ann"}, "labels": []},
       {"id": 3, "number": 9, "title": "C", "body": "z", "comments": 1, "locked": true, "milestone": null,
        "assignee": null, "closed_at": null, "user": {"id": 8, "login": "bo"}, "labels": []}]
      """#,
    second: #"""
      [{"id": 1, "number": 7, "title": "A", "body": null, "comments": 2, "locked": false,
        "milestone": {"id": 4, "title": "v1", "due_on": "2024-06-01T07:00:00Z"}, "assignee": {"id": 8, "login": "bo"},
        "closed_at": "2024-03-04T10:00:00Z", "user": {"id": 9, "login": "ann"}, "labels": [{"id": 5, "name": "bug"}]},
       {"id": 2, "number": 8, "title": "B", "body": "y", "comments": 3, "locked": false, "milestone": null,
        "assignee": null, "closed_at": null, "user": null, "labels": [{"id": 5, "name": "bug"}, {"id": 6, "name": "ui"}]},
       {"id": 3, "number": 9, "title": "C", "body": "z", "comments": 1, "locked": true, "milestone": null,
        "assignee": null, "closed_at": null, "user": {"id": 8, "login": "bo"}, "labels": []}]
      """#)

  static let gitLab = LaterAnswer(
    name: "GitLab merge requests", entity: "MergeRequest",
    difference: "merged_at, merged_by and milestone are set, weight and time have fractions",
    first: #"""
      [{"id": 11, "iid": 1, "title": "A", "state": "opened", "merged_at": null, "merged_by": null, "milestone": null,
        "labels": ["x"], "weight": null, "time_stats": {"time_estimate": 0, "human_time_estimate": null},
        "assignees": [], "author": {"id": 1, "username": "ann", "avatar_url": null}},
       {"id": 12, "iid": 2, "title": "B", "state": "opened", "merged_at": null, "merged_by": null, "milestone": null,
        "labels": [], "weight": null, "time_stats": {"time_estimate": 3600, "human_time_estimate": "1h"},
        "assignees": [], "author": {"id": 1, "username": "ann", "avatar_url": null}}]
      """#,
    second: #"""
      [{"id": 11, "iid": 1, "title": "A", "state": "merged", "merged_at": "2024-05-01T10:00:00.123Z",
        "merged_by": {"id": 2, "username": "bo"}, "milestone": {"id": 3, "iid": 1, "title": "m"}, "labels": ["x", "y"],
        "weight": 3, "time_stats": {"time_estimate": 1800.5, "human_time_estimate": null},
        "assignees": [{"id": 2, "username": "bo", "avatar_url": "https://a.example.com/2"}],
        "author": {"id": 1, "username": "ann", "avatar_url": null}},
       {"id": 12, "iid": 2, "title": "B", "state": "opened", "merged_at": null, "merged_by": null, "milestone": null,
        "labels": [], "weight": null, "time_stats": {"time_estimate": 3600, "human_time_estimate": "1h"},
        "assignees": [{"id": 2, "username": "bo", "avatar_url": "https://a.example.com/2"}],
        "author": {"id": 1, "username": "ann", "avatar_url": null}}]
      """#, said: ["assignees"])

  static let stripe = LaterAnswer(
    name: "Stripe subscriptions", entity: "Subscription", path: "data",
    difference:
      "discount was null, metadata gets keys, quantities are left out, tax has a fraction",
    first: #"""
      {"object": "list", "has_more": false, "data": [
        {"id": "sub_1", "object": "subscription", "created": 1700000000, "canceled_at": null, "discount": null,
         "customer": "cus_1", "metadata": {}, "application_fee_percent": 10, "items": {"object": "list", "data": [
           {"id": "si_1", "object": "subscription_item", "quantity": 1, "price": {"id": "price_1", "unit_amount": 500}}]}},
        {"id": "sub_2", "object": "subscription", "created": 1700000100, "canceled_at": null, "discount": null,
         "customer": "cus_2", "metadata": {}, "application_fee_percent": null, "items": {"object": "list", "data": [
           {"id": "si_2", "object": "subscription_item", "quantity": 2, "price": {"id": "price_1", "unit_amount": 500}}]}}]}
      """#,
    second: #"""
      {"object": "list", "has_more": false, "data": [
        {"id": "sub_1", "object": "subscription", "created": 1700000000, "canceled_at": 1710000000,
         "discount": {"id": "di_1", "coupon": {"id": "X", "percent_off": 12.5}}, "customer": "cus_1",
         "metadata": {"order": "6735"}, "application_fee_percent": 10.25, "items": {"object": "list", "data": [
           {"id": "si_1", "object": "subscription_item", "price": {"id": "price_2", "unit_amount": null}}]}},
        {"id": "sub_2", "object": "subscription", "created": 1700000100, "canceled_at": null, "discount": null,
         "customer": "cus_2", "metadata": {}, "application_fee_percent": null, "items": {"object": "list", "data": []}}]}
      """#, stays: ["items.data[].quantity"])

  static let shopify = LaterAnswer(
    name: "Shopify products", entity: "Product", path: "products",
    difference: "weights get fractions, prices that were null are texts, an image goes",
    first: #"""
      {"products": [{"id": 632910392, "title": "Pod", "tags": "a, b", "published_at": "2024-01-02T09:00:00-05:00",
        "variants": [{"id": 808950810, "product_id": 632910392, "price": "199.00", "compare_at_price": null, "weight": 1,
                      "inventory_quantity": 10, "image_id": 850703190},
                     {"id": 808950811, "product_id": 632910392, "price": "199.00", "compare_at_price": null, "weight": 1,
                      "inventory_quantity": 4, "image_id": null}],
        "images": [{"id": 850703190, "product_id": 632910392, "position": 1, "src": "https://c.example.com/1.png"}],
        "image": {"id": 850703190, "product_id": 632910392, "position": 1, "src": "https://c.example.com/1.png"}}]}
      """#,
    second: #"""
      {"products": [{"id": 632910392, "title": "Pod", "tags": "", "published_at": null,
        "variants": [{"id": 808950811, "product_id": 632910392, "price": "199.00", "compare_at_price": "249.00",
                      "weight": 1.25, "inventory_quantity": -2, "image_id": null},
                     {"id": 808950810, "product_id": 632910392, "price": "189.50", "compare_at_price": null, "weight": 1,
                      "inventory_quantity": 9, "image_id": null}],
        "images": [], "image": null}]}
      """#, places: ["variants[].product_id"])

  static let firestore = LaterAnswer(
    name: "Firestore documents", entity: "City", path: "documents",
    difference: "a field has a value of another type",
    first: #"""
      {"documents": [
        {"name": "projects/p/databases/(default)/documents/cities/LA",
         "fields": {"mayor": {"stringValue": "K"}, "area": {"doubleValue": 1.5}, "open": {"booleanValue": true}},
         "createTime": "2024-01-01T00:00:00.123456Z", "updateTime": "2024-01-01T00:00:00.123456Z"},
        {"name": "projects/p/databases/(default)/documents/cities/SF",
         "fields": {"mayor": {"nullValue": null}, "area": {"integerValue": "6"}, "open": {"booleanValue": true}},
         "createTime": "2024-01-01T00:00:00.123456Z", "updateTime": "2024-01-01T00:00:00.123456Z"}]}
      """#,
    second: #"""
      {"documents": [
        {"name": "projects/p/databases/(default)/documents/cities/LA",
         "fields": {"mayor": {"nullValue": null}, "area": {"integerValue": "2"}, "open": {"booleanValue": false}},
         "createTime": "2024-01-01T00:00:00.123456Z", "updateTime": "2024-02-01T00:00:00.5Z"},
        {"name": "projects/p/databases/(default)/documents/cities/SF",
         "fields": {"mayor": {"stringValue": "B"}, "area": {"integerValue": "6"}, "open": {"stringValue": "often"}},
         "createTime": "2024-01-01T00:00:00.123456Z", "updateTime": "2024-02-01T00:00:00.5Z"}]}
      """#)

  static let airtable = LaterAnswer(
    name: "Airtable records", entity: "Record", path: "records",
    difference: "fields that became empty are left out, numbers get fractions",
    first: #"""
      {"records": [
        {"id": "rec1", "createdTime": "2024-01-01T10:00:00.000Z", "fields": {"Name": "A", "Done": true, "Hours": 2}},
        {"id": "rec2", "createdTime": "2024-01-01T10:00:00.000Z", "fields": {"Name": "B", "Hours": 3, "Tags": ["x"]}},
        {"id": "rec3", "createdTime": "2024-01-01T10:00:00.000Z", "fields": {"Name": "C", "Done": true}}],
       "offset": "itr/rec3"}
      """#,
    second: #"""
      {"records": [
        {"id": "rec1", "createdTime": "2024-01-01T10:00:00.000Z", "fields": {"Name": "A", "Hours": 2.5}},
        {"id": "rec2", "createdTime": "2024-01-01T10:00:00.000Z", "fields": {"Name": "B", "Hours": 3, "Tags": []}},
        {"id": "rec3", "createdTime": "2024-01-01T10:00:00.000Z", "fields": {"Name": "C", "Done": true}}]}
      """#, stays: ["fields.Done"])

  static let notion = LaterAnswer(
    name: "Notion pages", entity: "Page", path: "results",
    difference: "select, number and date of a page were null, the icon is of another type",
    first: #"""
      {"object": "list", "results": [
        {"object": "page", "id": "59833787-2cf9-4fdf-8782-e53db20768a5", "archived": false, "icon": {"type": "emoji", "emoji": "x"},
         "properties": {"Status": {"id": "a", "type": "select", "select": null}, "Hours": {"id": "b", "type": "number", "number": null},
                        "Due": {"id": "c", "type": "date", "date": null}}},
        {"object": "page", "id": "69833787-2cf9-4fdf-8782-e53db20768a5", "archived": false, "icon": null,
         "properties": {"Status": {"id": "a", "type": "select", "select": null}, "Hours": {"id": "b", "type": "number", "number": 4},
                        "Due": {"id": "c", "type": "date", "date": null}}}], "next_cursor": null}
      """#,
    second: #"""
      {"object": "list", "results": [
        {"object": "page", "id": "59833787-2cf9-4fdf-8782-e53db20768a5", "archived": true,
         "icon": {"type": "external", "external": {"url": "https://i.example.com/a.png"}},
         "properties": {"Status": {"id": "a", "type": "select", "select": {"id": "s", "name": "Open", "color": "red"}},
                        "Hours": {"id": "b", "type": "number", "number": 1.5},
                        "Due": {"id": "c", "type": "date", "date": {"start": "2024-06-01", "end": null}}}},
        {"object": "page", "id": "69833787-2cf9-4fdf-8782-e53db20768a5", "archived": false, "icon": null,
         "properties": {"Status": {"id": "a", "type": "select", "select": null}, "Hours": {"id": "b", "type": "number", "number": null},
                        "Due": {"id": "c", "type": "date", "date": null}}}], "next_cursor": null}
      """#)

  static let jira = LaterAnswer(
    name: "Jira issues", entity: "Issue", path: "issues",
    difference: "assignee, parent and custom fields were null",
    first: #"""
      {"startAt": 0, "total": 2, "issues": [
        {"id": "10001", "key": "A-1", "fields": {"summary": "One", "assignee": null, "parent": null, "customfield_10016": null,
          "duedate": null, "description": null, "labels": [], "timeestimate": 3600}},
        {"id": "10002", "key": "A-2", "fields": {"summary": "Two", "assignee": null, "parent": null, "customfield_10016": 3,
          "duedate": null, "description": null, "labels": ["x"], "timeestimate": null}}]}
      """#,
    second: #"""
      {"startAt": 0, "total": 2, "issues": [
        {"id": "10001", "key": "A-1", "fields": {"summary": "One", "assignee": {"accountId": "u1", "displayName": "Ann"},
          "parent": null, "customfield_10016": 0.5, "duedate": "2024-06-01",
          "description": {"type": "doc", "version": 1, "content": [{"type": "paragraph"}]}, "labels": [], "timeestimate": 3600}},
        {"id": "10002", "key": "A-2", "fields": {"summary": null, "assignee": null, "parent": {"id": "10001", "key": "A-1"},
          "customfield_10016": 3, "duedate": null, "description": null, "labels": [], "timeestimate": null}}]}
      """#)

  static let trello = LaterAnswer(
    name: "Trello cards", entity: "Card",
    difference: "positions get fractions, due dates come and go, members change",
    first: #"""
      [{"id": "5abbe4b7ddc1b351ef961414", "name": "A", "pos": 65535, "due": null, "closed": false, "idList": "L1",
        "idMembers": [], "labels": [{"id": "l1", "name": "x", "color": "green"}], "badges": {"votes": 0, "description": false}},
       {"id": "5abbe4b7ddc1b351ef961415", "name": "B", "pos": 131071, "due": "2024-05-01T12:00:00.000Z", "closed": false,
        "idList": "L1", "idMembers": ["m1"], "labels": [], "badges": {"votes": 1, "description": true}}]
      """#,
    second: #"""
      [{"id": "5abbe4b7ddc1b351ef961414", "name": "A", "pos": 98303.5, "due": "2024-06-01T12:00:00.000Z", "closed": true,
        "idList": "L2", "idMembers": ["m1", "m2"], "labels": [], "badges": {"votes": 0, "description": true}},
       {"id": "5abbe4b7ddc1b351ef961415", "name": "", "pos": 131071, "due": null, "closed": false, "idList": "L1",
        "idMembers": [], "labels": [{"id": "l1", "name": "x", "color": null}], "badges": {"votes": 1, "description": true}}]
      """#)

  static let spotify = LaterAnswer(
    name: "Spotify playlist", entity: "Playlist",
    difference: "the order changes, a release is known by its year",
    first: #"""
      {"id": "p1", "name": "Mix", "collaborative": false, "followers": {"href": null, "total": 3}, "tracks": {"total": 2, "items": [
        {"id": "t1", "name": "One", "popularity": 50, "duration_ms": 200000, "explicit": false,
         "album": {"id": "a1", "name": "X", "release_date": "1999-03-01", "release_date_precision": "day"}},
        {"id": "t2", "name": "Two", "popularity": 40, "duration_ms": 180000, "explicit": true,
         "album": {"id": "a2", "name": "Y", "release_date": "2001-01-31", "release_date_precision": "day"}}]}}
      """#,
    second: #"""
      {"id": "p1", "name": "Mix", "collaborative": true, "followers": {"href": null, "total": 4}, "tracks": {"total": 3, "items": [
        {"id": "t2", "name": "Two", "popularity": 41, "duration_ms": 180000, "explicit": true,
         "album": {"id": "a2", "name": "Y", "release_date": "2001-01-31", "release_date_precision": "day"}},
        {"id": "t3", "name": "Three", "popularity": 0, "duration_ms": 1000, "explicit": false,
         "album": {"id": "a3", "name": "Z", "release_date": "1981", "release_date_precision": "year"}},
        {"id": "t1", "name": "One", "popularity": 50, "duration_ms": 200000, "explicit": false,
         "album": {"id": "a1", "name": "X", "release_date": "1999-03-01", "release_date_precision": "day"}}]}}
      """#)

  static let weather = LaterAnswer(
    name: "OpenWeather", entity: "Weather",
    difference: "temperatures get fractions, rain comes, gusts go",
    first: #"""
      {"id": 2643743, "name": "London", "dt": 1700000000, "visibility": 10000, "main": {"temp": 12, "pressure": 1012, "humidity": 81},
       "wind": {"speed": 4, "deg": 80, "gust": 7}, "clouds": {"all": 90}, "weather": [{"id": 300, "main": "Drizzle", "icon": "09d"}]}
      """#,
    second: #"""
      {"id": 2643743, "name": "London", "dt": 1700003600, "main": {"temp": 11.56, "pressure": 1012, "humidity": 82},
       "wind": {"speed": 4.12, "deg": 80}, "rain": {"1h": 0.25}, "clouds": {"all": 90},
       "weather": [{"id": 500, "main": "Rain", "icon": "10d"}, {"id": 701, "main": "Mist", "icon": "50d"}]}
      """#, said: ["rain"])
}
