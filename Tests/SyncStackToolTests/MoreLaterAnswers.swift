/// The other half.
extension LaterAnswer {
  static let earthquakes = LaterAnswer(
    name: "USGS earthquakes", entity: "Feature", path: "features",
    difference: "magnitudes are null or have fractions, reports come",
    first: #"""
      {"type": "FeatureCollection", "metadata": {"count": 2}, "features": [
        {"type": "Feature", "id": "q1", "properties": {"mag": 2, "time": 1699999999123, "felt": null, "tz": null, "sig": 62},
         "geometry": {"type": "Point", "coordinates": [-116.8, 33.5, 12.3]}},
        {"type": "Feature", "id": "q2", "properties": {"mag": 1, "time": 1699999990123, "felt": null, "tz": null, "sig": 15},
         "geometry": {"type": "Point", "coordinates": [-117, 34, 1]}}]}
      """#,
    second: #"""
      {"type": "FeatureCollection", "metadata": {"count": 2}, "features": [
        {"type": "Feature", "id": "q1", "properties": {"mag": 2.36, "time": 1699999999123, "felt": 4, "tz": null, "sig": 86},
         "geometry": {"type": "Point", "coordinates": [-116.81, 33.5, 12.3]}},
        {"type": "Feature", "id": "q2", "properties": {"mag": null, "time": 1699999990123, "felt": null, "tz": -480, "sig": 15},
         "geometry": null}]}
      """#)

  static let fhir = LaterAnswer(
    name: "FHIR patients", entity: "Patient", path: "entry[].resource",
    difference: "a birth is known by its year, deceased[x] is of another type",
    first: #"""
      {"resourceType": "Bundle", "id": "b1", "type": "searchset", "link": [{"relation": "self", "url": "https://f.example.com"}], "entry": [
        {"fullUrl": "https://f.example.com/Patient/p1", "resource": {"resourceType": "Patient", "id": "p1", "gender": "female",
          "birthDate": "1974-12-25", "deceasedBoolean": false, "name": [{"family": "A", "given": ["Ann"]}]}},
        {"fullUrl": "https://f.example.com/Patient/p2", "resource": {"resourceType": "Patient", "id": "p2", "gender": "male",
          "birthDate": "1980-01-02", "deceasedDateTime": "2015-02-14T13:42:00+10:00", "name": [{"family": "B"}]}}]}
      """#,
    second: #"""
      {"resourceType": "Bundle", "id": "b2", "type": "searchset", "link": [{"relation": "self", "url": "https://f.example.com"}], "entry": [
        {"fullUrl": "https://f.example.com/Patient/p1", "resource": {"resourceType": "Patient", "id": "p1", "gender": "female",
          "birthDate": "1974", "deceasedDateTime": "2024-02-14T13:42:00Z", "name": [{"family": "A", "given": ["Ann", "B."]}]}},
        {"fullUrl": "https://f.example.com/Patient/p2", "resource": {"resourceType": "Patient", "id": "p2",
          "birthDate": "1980-01", "deceasedBoolean": true, "name": []}}]}
      """#, stays: ["gender"])

  static let mastodon = LaterAnswer(
    name: "Mastodon statuses", entity: "Status",
    difference: "card, reblog and poll were null, attachments come, an edit",
    first: #"""
      [{"id": "103270115826048975", "created_at": "2024-12-08T03:48:33.901Z", "in_reply_to_id": null, "sensitive": false,
        "replies_count": 5, "edited_at": null, "reblog": null, "card": null, "poll": null, "media_attachments": [], "language": "en",
        "account": {"id": "1", "username": "ann", "bot": false, "followers_count": 320472}},
       {"id": "103270115826048976", "created_at": "2024-12-08T03:48:34.901Z", "in_reply_to_id": null, "sensitive": false,
        "replies_count": 0, "edited_at": null, "reblog": null, "card": null, "poll": null, "media_attachments": [], "language": "en",
        "account": {"id": "1", "username": "ann", "bot": false, "followers_count": 320472}}]
      """#,
    second: #"""
      [{"id": "103270115826048975", "created_at": "2024-12-08T03:48:33.901Z", "in_reply_to_id": "103270115826048970",
        "sensitive": false, "replies_count": 6, "edited_at": "2024-12-09T03:48:33.000Z", "reblog": null,
        "card": {"url": "https://c.example.com", "title": "T", "type": "link"}, "poll": null,
        "media_attachments": [{"id": "22345792", "type": "image"}], "language": null,
        "account": {"id": "1", "username": "ann", "bot": false, "followers_count": 320473}},
       {"id": "103270115826048976", "created_at": "2024-12-08T03:48:34.901Z", "in_reply_to_id": null, "sensitive": true,
        "replies_count": 0, "edited_at": null, "reblog": {"id": "9", "content": "x", "account": {"id": "2", "username": "bo"}},
        "card": null, "poll": {"id": "34830", "expired": false, "votes_count": 10, "options": [{"title": "yes"}]},
        "media_attachments": [], "language": "en",
        "account": {"id": "1", "username": "ann", "bot": false, "followers_count": 320473}}]
      """#)

  static let discord = LaterAnswer(
    name: "Discord messages", entity: "Message",
    difference: "an edit, a reply, embeds, an author with another name",
    first: #"""
      [{"id": "334385199974967042", "type": 0, "content": "Hi", "channel_id": "290926798999357250", "edited_timestamp": null,
        "timestamp": "2024-07-11T17:27:07.299000+00:00", "mention_everyone": false, "embeds": [], "mentions": [], "flags": 0,
        "author": {"id": "53908099506183680", "username": "ann", "global_name": null, "avatar": "a_bab1"}},
       {"id": "334385199974967043", "type": 0, "content": "Ho", "channel_id": "290926798999357250", "edited_timestamp": null,
        "timestamp": "2024-07-11T17:27:08.299000+00:00", "mention_everyone": false, "embeds": [], "mentions": [], "flags": 0,
        "author": {"id": "53908099506183681", "username": "bo", "global_name": null, "avatar": null}}]
      """#,
    second: #"""
      [{"id": "334385199974967042", "type": 0, "content": "Hi!", "channel_id": "290926798999357250",
        "edited_timestamp": "2024-07-12T17:27:07.299000+00:00", "timestamp": "2024-07-11T17:27:07.299000+00:00",
        "mention_everyone": false, "embeds": [{"type": "rich", "title": "T"}], "flags": 4,
        "mentions": [{"id": "53908099506183681", "username": "bo", "global_name": "Bo", "avatar": null}],
        "author": {"id": "53908099506183680", "username": "ann", "global_name": "Ann", "avatar": null}},
       {"id": "334385199974967043", "type": 19, "content": "", "channel_id": "290926798999357250", "edited_timestamp": null,
        "timestamp": "2024-07-11T17:27:08.299000+00:00", "mention_everyone": false, "embeds": [], "mentions": [], "flags": 0,
        "referenced_message": {"id": "334385199974967042"},
        "author": {"id": "53908099506183681", "username": "bo", "global_name": null, "avatar": null}}]
      """#, said: ["referenced_message"])

  static let reddit = LaterAnswer(
    name: "Reddit links", entity: "Link", path: "data.children",
    difference:
      "edited is false or a time, likes and the flair were null, the ratio has a fraction",
    first: #"""
      {"kind": "Listing", "data": {"after": "t3_b", "children": [
        {"kind": "t3", "data": {"id": "a", "name": "t3_a", "title": "A", "ups": 5, "upvote_ratio": 1, "edited": false, "likes": null,
          "link_flair_text": null, "created_utc": 1700000000.0, "over_18": false}},
        {"kind": "t3", "data": {"id": "b", "name": "t3_b", "title": "B", "ups": 6, "upvote_ratio": 1, "edited": false, "likes": null,
          "link_flair_text": null, "created_utc": 1700000001.0, "over_18": false}}]}}
      """#,
    second: #"""
      {"kind": "Listing", "data": {"after": null, "children": [
        {"kind": "t3", "data": {"id": "a", "name": "t3_a", "title": "A", "ups": 4, "upvote_ratio": 0.83, "edited": 1700005000.0, "likes": true,
          "link_flair_text": "News", "created_utc": 1700000000.0, "over_18": false}},
        {"kind": "t3", "data": {"id": "b", "name": "t3_b", "title": "B", "ups": 6, "upvote_ratio": 1, "edited": false, "likes": null,
          "link_flair_text": null, "created_utc": 1700000001.0, "over_18": true}}]}}
      """#)

  static let calendar = LaterAnswer(
    name: "Google Calendar events", entity: "Event", path: "items",
    difference: "an event of a day gets a time, one of a time a day, one is cancelled",
    first: #"""
      {"kind": "calendar#events", "nextSyncToken": "s1", "items": [
        {"kind": "calendar#event", "id": "e1", "status": "confirmed", "summary": "A", "start": {"date": "2024-05-01"}, "end": {"date": "2024-05-02"}},
        {"kind": "calendar#event", "id": "e2", "status": "confirmed", "summary": "B",
         "start": {"dateTime": "2024-05-01T10:00:00+02:00", "timeZone": "Europe/Berlin"},
         "end": {"dateTime": "2024-05-01T11:00:00+02:00", "timeZone": "Europe/Berlin"}},
        {"kind": "calendar#event", "id": "e3", "status": "confirmed", "summary": "C", "start": {"date": "2024-05-03"}, "end": {"date": "2024-05-04"}}]}
      """#,
    second: #"""
      {"kind": "calendar#events", "nextSyncToken": "s2", "items": [
        {"kind": "calendar#event", "id": "e1", "status": "confirmed", "summary": "A",
         "start": {"dateTime": "2024-05-01T09:00:00+02:00", "timeZone": "Europe/Berlin"},
         "end": {"dateTime": "2024-05-01T09:30:00+02:00", "timeZone": "Europe/Berlin"}},
        {"kind": "calendar#event", "id": "e2", "status": "confirmed", "summary": "B", "start": {"date": "2024-05-01"}, "end": {"date": "2024-05-02"}},
        {"kind": "calendar#event", "id": "e3", "status": "cancelled"}]}
      """#, stays: ["summary"])

  static let graph = LaterAnswer(
    name: "Microsoft Graph delta of users", entity: "User", path: "value",
    difference: "a user is removed, a name becomes null",
    first: #"""
      {"@odata.context": "https://g.example.com/$metadata#users", "@odata.deltaLink": "https://g.example.com/users/delta?t=1", "value": [
        {"@odata.etag": "W/\"1\"", "id": "87d349ed-44d7-43e1-9a83-5f2406dee5bd", "displayName": "Ann", "jobTitle": "Boss", "businessPhones": ["1"]},
        {"@odata.etag": "W/\"2\"", "id": "97d349ed-44d7-43e1-9a83-5f2406dee5bd", "displayName": "Bo", "jobTitle": null, "businessPhones": []},
        {"id": "a7d349ed-44d7-43e1-9a83-5f2406dee5bd", "@removed": {"reason": "changed"}}]}
      """#,
    second: #"""
      {"@odata.context": "https://g.example.com/$metadata#users", "@odata.deltaLink": "https://g.example.com/users/delta?t=2", "value": [
        {"@odata.etag": "W/\"3\"", "id": "87d349ed-44d7-43e1-9a83-5f2406dee5bd", "displayName": "Ann", "jobTitle": null, "businessPhones": []},
        {"id": "97d349ed-44d7-43e1-9a83-5f2406dee5bd", "@removed": {"reason": "deleted"}}]}
      """#)

  static let musicBrainz = LaterAnswer(
    name: "MusicBrainz artists", entity: "Artist", path: "artists",
    difference: "lives begin in a year or a month, an area was null",
    first: #"""
      {"created": "2024-01-01T00:00:00.000Z", "count": 2, "offset": 0, "artists": [
        {"id": "b10bbbfc-cf9e-42e0-be17-e2c3e1d2600d", "name": "A", "score": 100, "life-span": {"begin": "1960-08-01", "end": "1970-04-10", "ended": true},
         "area": null, "aliases": [{"name": "a", "locale": null, "primary": null}]},
        {"id": "c10bbbfc-cf9e-42e0-be17-e2c3e1d2600d", "name": "B", "score": 90, "life-span": {"begin": "1981-05-05", "end": null, "ended": null},
         "area": null, "aliases": []}]}
      """#,
    second: #"""
      {"created": "2024-02-01T00:00:00.000Z", "count": 2, "offset": 0, "artists": [
        {"id": "b10bbbfc-cf9e-42e0-be17-e2c3e1d2600d", "name": "A", "score": 100, "life-span": {"begin": "1960", "end": "1970-04", "ended": true},
         "area": {"id": "8a754a16-0027-3a29-b6d7-2b40ea0481ed", "name": "UK"}, "aliases": [{"name": "a", "locale": "en", "primary": true}]},
        {"id": "c10bbbfc-cf9e-42e0-be17-e2c3e1d2600d", "name": "B", "score": 90, "life-span": {"begin": "1981", "end": null, "ended": null},
         "area": null, "aliases": []}]}
      """#)

  static let coins = LaterAnswer(
    name: "CoinGecko markets", entity: "Coin",
    difference: "prices get fractions, the largest supply and the return were null",
    first: #"""
      [{"id": "bitcoin", "symbol": "btc", "current_price": 70187, "market_cap": 1381651251183, "market_cap_rank": 1, "total_supply": 21000000,
        "max_supply": null, "roi": null, "ath": 73738, "ath_date": "2024-03-14T07:10:36.635Z", "last_updated": "2024-04-07T16:49:31.736Z"},
       {"id": "ethereum", "symbol": "eth", "current_price": 3400, "market_cap": 408000000000, "market_cap_rank": 2, "total_supply": 120000000,
        "max_supply": null, "roi": null, "ath": 4878, "ath_date": "2021-11-10T14:24:19.604Z", "last_updated": "2024-04-07T16:49:31.736Z"}]
      """#,
    second: #"""
      [{"id": "bitcoin", "symbol": "btc", "current_price": 70187.25, "market_cap": 1381651251183, "market_cap_rank": 1, "total_supply": 21000000.5,
        "max_supply": 21000000, "roi": null, "ath": 73738, "ath_date": "2024-03-14T07:10:36.635Z", "last_updated": "2024-04-08T16:49:31.736Z"},
       {"id": "ethereum", "symbol": "eth", "current_price": 0.0000123, "market_cap": null, "market_cap_rank": null, "total_supply": 120000000,
        "max_supply": null, "roi": {"times": 44.5, "currency": "btc", "percentage": 4450.2}, "ath": 4878.26, "ath_date": "2021-11-10T14:24:19.604Z",
        "last_updated": null}]
      """#)

  static let food = LaterAnswer(
    name: "Open Food Facts", entity: "Product", path: "products",
    difference: "numbers come as texts, nutriments are left out",
    first: #"""
      {"count": 2, "page": 1, "products": [
        {"code": "0737628064502", "product_name": "Noodles", "nova_group": 4, "nutriments": {"energy-kcal_100g": 385, "salt_100g": 0.72}, "brands_tags": ["x"]},
        {"code": "3017620422003", "product_name": "Spread", "nova_group": 4, "nutriments": {"energy-kcal_100g": 539, "salt_100g": 0.107}, "brands_tags": ["y"]}]}
      """#,
    second: #"""
      {"count": 2, "page": 1, "products": [
        {"code": "0737628064502", "product_name": "", "nova_group": "3", "nutriments": {"energy-kcal_100g": "385.5", "salt_100g": 1}, "brands_tags": []},
        {"code": "3017620422003", "product_name": "Spread", "nutriments": {"energy-kcal_100g": 539}, "brands_tags": ["y"]}]}
      """#, stays: ["nova_group", "nutriments.salt_100g"])

  static let films = LaterAnswer(
    name: "TMDB films", entity: "Film", path: "results",
    difference: "votes get fractions, a collection was null, a release date is an empty text",
    first: #"""
      {"page": 1, "total_pages": 1, "results": [
        {"id": 550, "title": "F", "release_date": "1999-10-15", "poster_path": "/p.jpg", "vote_average": 8, "vote_count": 26280, "popularity": 61,
         "genre_ids": [18], "belongs_to_collection": null, "runtime": 139, "video": false},
        {"id": 551, "title": "G", "release_date": "2001-01-01", "poster_path": "/q.jpg", "vote_average": 7, "vote_count": 3, "popularity": 1,
         "genre_ids": [18, 53], "belongs_to_collection": null, "runtime": 90, "video": false}]}
      """#,
    second: #"""
      {"page": 1, "total_pages": 1, "results": [
        {"id": 550, "title": "F", "release_date": "1999-10-15", "poster_path": null, "vote_average": 8.433, "vote_count": 26281, "popularity": 61.416,
         "genre_ids": [18, 53], "belongs_to_collection": {"id": 1241, "name": "C"}, "runtime": null, "video": false},
        {"id": 551, "title": "G", "release_date": "", "poster_path": "/q.jpg", "vote_average": 0, "vote_count": 0, "popularity": 1,
         "genre_ids": [], "belongs_to_collection": null, "runtime": 0, "video": false}]}
      """#)

  static let videos = LaterAnswer(
    name: "YouTube playlist items", entity: "PlaylistItem", path: "items",
    difference: "positions change, a thumbnail of another size comes, an end is left out",
    first: #"""
      {"kind": "youtube#playlistItemListResponse", "pageInfo": {"totalResults": 2}, "items": [
        {"kind": "youtube#playlistItem", "id": "UExx1", "snippet": {"publishedAt": "2024-01-01T00:00:00Z", "title": "A", "position": 0,
          "resourceId": {"kind": "youtube#video", "videoId": "v1"}, "thumbnails": {"default": {"url": "https://i.example.com/1.jpg", "width": 120}}}},
        {"kind": "youtube#playlistItem", "id": "UExx2", "snippet": {"publishedAt": "2024-01-02T00:00:00Z", "title": "B", "position": 1,
          "resourceId": {"kind": "youtube#video", "videoId": "v2"}, "thumbnails": {"default": {"url": "https://i.example.com/2.jpg", "width": 120}}}}]}
      """#,
    second: #"""
      {"kind": "youtube#playlistItemListResponse", "pageInfo": {"totalResults": 2}, "items": [
        {"kind": "youtube#playlistItem", "id": "UExx2", "snippet": {"publishedAt": "2024-01-02T00:00:00Z", "title": "B", "position": 0,
          "resourceId": {"kind": "youtube#video", "videoId": "v2"},
          "thumbnails": {"default": {"url": "https://i.example.com/2.jpg", "width": 120}, "high": {"url": "https://i.example.com/2h.jpg", "width": 480}}}},
        {"kind": "youtube#playlistItem", "id": "UExx1", "snippet": {"publishedAt": "2024-01-01T00:00:00Z", "title": "Private video", "position": 1,
          "resourceId": {"kind": "youtube#video", "videoId": "v1"}, "thumbnails": {}}}]}
      """#, said: ["high"], stays: ["snippet.thumbnails.default"])

  static let hackerNews = LaterAnswer(
    name: "Hacker News items", entity: "Item",
    difference: "an item is deleted, points and comments change",
    first: #"""
      [{"id": 8863, "type": "story", "by": "ann", "time": 1175714200, "title": "T", "url": "https://h.example.com", "score": 111, "descendants": 71, "kids": [8952, 9224]},
       {"id": 2921983, "type": "comment", "by": "bo", "time": 1314211127, "text": "x", "parent": 8863},
       {"id": 2921984, "type": "comment", "time": 1314211128, "deleted": true, "parent": 8863}]
      """#,
    second: #"""
      [{"id": 8863, "type": "story", "by": "ann", "time": 1175714200, "title": "T", "score": 112, "descendants": 70, "kids": [9224]},
       {"id": 2921983, "type": "comment", "time": 1314211127, "deleted": true, "parent": 8863},
       {"id": 2921984, "type": "comment", "time": 1314211128, "deleted": true, "parent": 8863}]
      """#, said: ["sync.tombstoneKey"], stays: ["by", "text", "url"])
}
