import Testing

/// Forms that well-known servers and databases answer in, with invented values.
enum PayloadShapes {
  struct Shape: Sendable, CustomTestStringConvertible {
    let name: String
    let entity: String
    let path: String?
    /// The key that names an object; nil where none does for sure.
    let key: String?
    let json: String

    var at: [String] { path.map { ["--at", $0] } ?? [] }
    var testDescription: String { name }
  }

  static let all = [
    repositories, events, charges, products, listing, jsonAPI, databaseExport, odata, tweets,
    dotNet, playlist, messages, members, forecastInColumns, forecastInSteps, weather, countries,
    edges, hitsOfTwoTypes, prices, rates, contentServer, contentEntries, bundle, pods, feed, posts,
    features, hits,
  ]

  static let repositories = Shape(
    name: "repositories", entity: "Repo", path: nil, key: "id",
    json: #"""
      [{"id":1296269,"node_id":"MDEwOlJlcG9zaXRvcnkx","name":"Hello-World","full_name":"ann/Hello-World","owner":{"login":"ann","id":1,"node_id":"MDQ6VXNlcjE=","avatar_url":"https://github.com/images/error/ann_happy.gif","gravatar_id":"","url":"https://api.github.com/users/ann","html_url":"https://github.com/ann","followers_url":"https://api.github.com/users/ann/followers","following_url":"https://api.github.com/users/ann/following{/other_user}","type":"User","site_admin":false},"private":false,"html_url":"https://github.com/ann/Hello-World","description":"This your first repo!","fork":false,"url":"https://api.github.com/repos/ann/Hello-World","keys_url":"https://api.github.com/repos/ann/Hello-World/keys{/key_id}","language":null,"forks_count":9,"stargazers_count":80,"size":108,"default_branch":"master","topics":["ann","atom"],"has_issues":true,"pushed_at":"2011-01-26T19:06:43Z","created_at":"2011-01-26T19:01:12Z","permissions":{"admin":false,"push":false,"pull":true},"license":{"key":"mit","name":"MIT License","spdx_id":"MIT","url":"https://api.github.com/licenses/mit","node_id":"MDc6TGljZW5zZW1pdA=="}},
      {"id":1296270,"node_id":"MDEwOlJlcG9zaXRvcnky","name":"Spoon","full_name":"acme/Spoon","owner":{"login":"acme","id":2,"node_id":"O_2","avatar_url":"https://github.com/images/2.gif","gravatar_id":"","url":"https://api.github.com/users/acme","html_url":"https://github.com/acme","followers_url":"https://api.github.com/users/acme/followers","following_url":"https://api.github.com/users/acme/following{/other_user}","type":"Organization","site_admin":false},"private":true,"html_url":"https://github.com/acme/Spoon","description":null,"fork":true,"url":"https://api.github.com/repos/acme/Spoon","keys_url":"https://api.github.com/repos/acme/Spoon/keys{/key_id}","language":"C","forks_count":0,"stargazers_count":0,"size":0,"default_branch":"main","topics":[],"has_issues":false,"pushed_at":"2012-01-26T19:06:43Z","created_at":"2012-01-26T19:01:12Z","permissions":{"admin":true,"push":true,"pull":true},"license":null}]
      """#)

  static let events = Shape(
    name: "events", entity: "Event", path: nil, key: "id",
    json: #"""
      [{"id":"22249084947","type":"WatchEvent","actor":{"id":583231,"login":"ann","display_login":"ann","gravatar_id":"","url":"https://api.github.com/users/ann","avatar_url":"https://a.example.com/u/583231?"},"repo":{"id":1296269,"name":"ann/Hello-World","url":"https://api.github.com/repos/ann/Hello-World"},"payload":{"action":"started"},"public":true,"created_at":"2022-06-09T12:47:28Z"},
      {"id":"22249084964","type":"PushEvent","actor":{"id":583231,"login":"ann","display_login":"ann","gravatar_id":"","url":"https://api.github.com/users/ann","avatar_url":"https://a.example.com/u/583231?"},"repo":{"id":1296269,"name":"ann/Hello-World","url":"https://api.github.com/repos/ann/Hello-World"},"payload":{"push_id":10115855396,"size":1,"distinct_size":1,"ref":"refs/heads/master","head":"7a8f3ac8","before":"883efe03","commits":[{"sha":"7a8f3ac8","author":{"email":"ann@github.com","name":"The Ann"},"message":"commit","distinct":true,"url":"https://api.github.com/c/7a8f3ac8"}]},"public":true,"created_at":"2022-06-07T07:50:26Z"}]
      """#)

  static let charges = Shape(
    name: "charges", entity: "Charge", path: "data", key: "id",
    json: #"""
      {"object":"list","url":"/v1/charges","has_more":true,"data":[
      {"id":"ch_3MmlLrLkdIwHu7ix0snN0B15","object":"charge","amount":1099,"amount_captured":1099,"application":null,"balance_transaction":"txn_3MmlLr","billing_details":{"address":{"city":null,"country":null,"line1":null,"postal_code":null},"email":null,"name":null,"phone":null},"captured":true,"created":1679090539,"currency":"usd","customer":"cus_1","disputed":false,"fraud_details":{},"livemode":false,"metadata":{},"outcome":{"network_status":"approved_by_network","reason":null,"risk_level":"normal","risk_score":32,"seller_message":"Payment complete.","type":"authorized"},"paid":true,"payment_method":"card_1MmlLrLkdIwHu7ixIJwEWSNR","payment_method_details":{"card":{"brand":"visa","checks":{"address_line1_check":null,"cvc_check":null},"country":"US","exp_month":3,"exp_year":2024,"fingerprint":"mToisGZ01V71BCos","last4":"4242","network":"visa","three_d_secure":null},"type":"card"},"receipt_url":"https://pay.stripe.com/receipts/x","refunded":false,"source_transfer":null,"status":"succeeded","refunds":{"object":"list","data":[{"id":"re_1","object":"refund","amount":100,"charge":"ch_3MmlLrLkdIwHu7ix0snN0B15","created":1679090540,"reason":null}],"has_more":false,"url":"/v1/charges/x/refunds"}},
      {"id":"ch_2","object":"charge","amount":500,"amount_captured":0,"application":null,"balance_transaction":null,"billing_details":{"address":{"city":"Rome","country":"IT","line1":"a","postal_code":"00100"},"email":"a@b.c","name":"A","phone":null},"captured":false,"created":1679090600,"currency":"eur","customer":{"id":"cus_2","object":"customer","balance":0,"created":1679000000,"email":"x@y.z","name":null},"disputed":false,"fraud_details":{},"livemode":false,"metadata":{"order_id":"6735"},"outcome":null,"paid":false,"payment_method":"card_2","payment_method_details":{"card":{"brand":"visa","checks":{"address_line1_check":null,"cvc_check":"pass"},"country":"US","exp_month":3,"exp_year":2024,"fingerprint":"mToisGZ01V71BCos","last4":"4242","network":"visa","three_d_secure":null},"type":"card"},"receipt_url":null,"refunded":false,"source_transfer":null,"status":"pending","refunds":{"object":"list","data":[],"has_more":false,"url":"/v1/charges/ch_2/refunds"}}]}
      """#)

  static let products = Shape(
    name: "products", entity: "Product", path: "products", key: "id",
    json: #"""
      {"products":[{"id":632910392,"title":"IPod Nano - 8GB","body_html":"<p>It's the small</p>","vendor":"Apple","product_type":"Cult Products","created_at":"2024-01-02T09:28:43-05:00","handle":"ipod-nano","published_scope":"web","tags":"Emotive, Flash","status":"active",
      "variants":[{"id":808950810,"product_id":632910392,"title":"Pink","price":"199.00","position":1,"inventory_policy":"continue","compare_at_price":null,"option1":"Pink","option2":null,"taxable":true,"barcode":"1234_pink","grams":567,"sku":"IPOD2008PINK","image_id":562641783},{"id":49148385,"product_id":632910392,"title":"Red","price":"199.00","position":2,"inventory_policy":"continue","compare_at_price":null,"option1":"Red","option2":null,"taxable":true,"barcode":"1234_red","grams":567,"sku":"IPOD2008RED","image_id":null}],
      "options":[{"id":594680422,"product_id":632910392,"name":"Color","position":1,"values":["Pink","Red"]}],
      "images":[{"id":850703190,"alt":null,"position":1,"product_id":632910392,"created_at":"2024-01-02T09:28:43-05:00","width":123,"height":456,"src":"https://cdn.shopify.com/a.png","variant_ids":[]},{"id":562641783,"alt":null,"position":2,"product_id":632910392,"created_at":"2024-01-02T09:28:43-05:00","width":123,"height":456,"src":"https://cdn.shopify.com/b.png","variant_ids":[808950810]}],
      "image":{"id":850703190,"alt":null,"position":1,"product_id":632910392,"created_at":"2024-01-02T09:28:43-05:00","width":123,"height":456,"src":"https://cdn.shopify.com/a.png","variant_ids":[]}},
      {"id":921728736,"title":"IPod Touch 8GB","body_html":"<p>x</p>","vendor":"Apple","product_type":"Cult Products","created_at":"2024-01-02T09:28:43-05:00","handle":"ipod-touch","published_scope":"global","tags":"","status":"active","variants":[{"id":447654529,"product_id":921728736,"title":"Black","price":"199.00","position":1,"inventory_policy":"continue","compare_at_price":null,"option1":"Black","option2":null,"taxable":true,"barcode":"1234_black","grams":567,"sku":"IPOD2009BLACK","image_id":null}],"options":[{"id":891236591,"product_id":921728736,"name":"Title","position":1,"values":["Black"]}],"images":[],"image":null}]}
      """#)

  static let listing = Shape(
    name: "listing", entity: "Post", path: "data.children", key: "data.id",
    json: #"""
      {"kind":"Listing","data":{"after":"t3_b","dist":2,"modhash":"","geo_filter":"","children":[
      {"kind":"t3","data":{"approved_at_utc":null,"subreddit":"swift","selftext":"","author_fullname":"t2_1","title":"Hello","name":"t3_a","ups":12,"score":12,"upvote_ratio":0.93,"edited":false,"created_utc":1700000000.0,"id":"a","author":"ann","num_comments":2,"permalink":"/r/swift/a","url":"https://example.com/a","media":null,"over_18":false,"preview":{"images":[{"source":{"url":"https://x.com/1.png","width":10,"height":20},"resolutions":[],"id":"img1"}],"enabled":true},"all_awardings":[],"link_flair_richtext":[{"e":"text","t":"News"}]}},
      {"kind":"t3","data":{"approved_at_utc":null,"subreddit":"swift","selftext":"x","author_fullname":"t2_2","title":"World","name":"t3_b","ups":3,"score":3,"upvote_ratio":1.0,"edited":1700000500.0,"created_utc":1700000100.0,"id":"b","author":"bob","num_comments":0,"permalink":"/r/swift/b","url":"https://example.com/b","media":{"type":"youtube.com","oembed":{"title":"V"}},"over_18":false,"all_awardings":[],"link_flair_richtext":[]}}],"before":null}}
      """#)

  static let jsonAPI = Shape(
    name: "jsonAPI", entity: "Article", path: "data", key: "id",
    json: #"""
      {"links":{"self":"http://example.com/articles","next":"http://example.com/articles?page[offset]=2"},"data":[{"type":"articles","id":"1","attributes":{"title":"JSON:API paints my bikeshed!","created":"2015-05-22T14:56:29.000Z"},"relationships":{"author":{"links":{"self":"http://example.com/articles/1/relationships/author"},"data":{"type":"people","id":"9"}},"comments":{"data":[{"type":"comments","id":"9"},{"type":"comments","id":"12"}]}},"links":{"self":"http://example.com/articles/1"}},
      {"type":"articles","id":"2","attributes":{"title":"B","created":"2015-05-23T14:56:29.000Z"},"relationships":{"author":{"data":{"type":"people","id":"2"}},"comments":{"data":[]}},"links":{"self":"http://example.com/articles/2"}}],
      "included":[{"type":"people","id":"9","attributes":{"first-name":"Dan","last-name":"Gebhardt","twitter":"dgeb"}},{"type":"comments","id":"9","attributes":{"body":"First!"},"relationships":{"author":{"data":{"type":"people","id":"2"}}}},{"type":"comments","id":"12","attributes":{"body":"I like XML better"},"relationships":{"author":{"data":{"type":"people","id":"9"}}}}]}
      """#)

  static let databaseExport = Shape(
    name: "databaseExport", entity: "Movie", path: nil, key: "_id.$oid",
    json: #"""
      {"_id":{"$oid":"573a1390f29313caabcd4135"},"title":"Blacksmith Scene","year":1893,"runtime":{"$numberInt":"1"},"released":{"$date":{"$numberLong":"-2418768000000"}},"cast":["Charles Kayser","John Ott"],"imdb":{"rating":{"$numberDouble":"6.2"},"votes":1189,"id":5},"lastupdated":"2015-08-26 00:03:50.133000000","num_mflix_comments":1}
      {"_id":{"$oid":"573a1390f29313caabcd42e8"},"title":"The Great Train Robbery","year":1903,"runtime":{"$numberInt":"11"},"released":{"$date":{"$numberLong":"-2085523200000"}},"cast":["A.C. Abadie"],"imdb":{"rating":{"$numberDouble":"7.4"},"votes":9847,"id":439},"lastupdated":"2015-08-13 00:27:59.177000000","num_mflix_comments":0}
      {"_id":{"$oid":"573a1390f29313caabcd4323"},"title":"The Land Beyond","year":1912,"released":{"$date":"1912-12-02T00:00:00Z"},"runtime":{"$numberInt":"14"},"cast":[],"imdb":{"rating":{"$numberDouble":"7.1"},"votes":448,"id":488},"lastupdated":"2015-08-29 00:27:45.437000000","num_mflix_comments":0}
      """#)

  static let odata = Shape(
    name: "odata", entity: "Order", path: "value", key: "OrderID",
    json: #"""
      {"@odata.context":"https://services.odata.org/V4/Northwind/$metadata#Orders","@odata.count":830,"value":[{"@odata.etag":"W/\"1\"","OrderID":10248,"CustomerID":"VINET","EmployeeID":5,"OrderDate":"1996-07-04T00:00:00Z","ShippedDate":"1996-07-16T00:00:00Z","ShipVia":3,"Freight":32.3800,"ShipName":"Vins","ShipRegion":null,"ShipCountry":"France","Order_Details":[{"OrderID":10248,"ProductID":11,"UnitPrice":14.0,"Quantity":12,"Discount":0},{"OrderID":10248,"ProductID":42,"UnitPrice":9.8,"Quantity":10,"Discount":0}]},{"@odata.etag":"W/\"2\"","OrderID":10249,"CustomerID":"TOMSP","EmployeeID":6,"OrderDate":"1996-07-05T00:00:00Z","ShippedDate":null,"ShipVia":1,"Freight":11.6100,"ShipName":"Toms","ShipRegion":null,"ShipCountry":"Germany","Order_Details":[{"OrderID":10249,"ProductID":11,"UnitPrice":18.6,"Quantity":9,"Discount":0.15}]}],"@odata.nextLink":"x"}
      """#)

  static let tweets = Shape(
    name: "tweets", entity: "Tweet", path: nil, key: "id",
    json: #"""
      [{"created_at":"Wed Oct 10 20:19:24 +0000 2018","id":1050118621198921728,"id_str":"1050118621198921728","text":"To make room","truncated":false,"in_reply_to_status_id":null,"in_reply_to_status_id_str":null,"in_reply_to_user_id_str":null,"user":{"id":6253282,"id_str":"6253282","name":"Twitter API","screen_name":"TwitterAPI","location":"San Francisco, CA","url":"https://developer.twitter.com","protected":false,"followers_count":6133636,"created_at":"Wed May 23 06:01:13 +0000 2007","entities":{"url":{"urls":[{"url":"https://t.co/8IkCzCDr19","expanded_url":"https://developer.twitter.com","display_url":"developer.twitter.com","indices":[0,23]}]},"description":{"urls":[]}}},"geo":null,"coordinates":null,"place":{"id":"07d9db48bc083000","place_type":"poi","name":"SF","bounding_box":{"type":"Polygon","coordinates":[[[-122.4,37.7],[-122.4,37.8]]]}},"entities":{"hashtags":[],"urls":[{"url":"https://t.co/XweGngmxlP","expanded_url":"https://c.twitter.com","display_url":"c","indices":[281,304]}],"user_mentions":[{"screen_name":"A","name":"A","id":5,"id_str":"5","indices":[3,13]}]},"retweet_count":161,"favorited":false,"lang":"en","retweeted_status":{"created_at":"Wed Oct 10 19:19:24 +0000 2018","id":1050118621198921000,"id_str":"1050118621198921000","text":"x","truncated":false,"in_reply_to_status_id":1,"in_reply_to_status_id_str":"1","in_reply_to_user_id_str":"7","user":{"id":5,"id_str":"5","name":"A","screen_name":"A","location":"","url":null,"protected":false,"followers_count":3,"created_at":"Wed May 23 06:01:13 +0000 2008","entities":{"description":{"urls":[]}}},"geo":null,"coordinates":null,"place":null,"entities":{"hashtags":[{"text":"x","indices":[1,2]}],"urls":[],"user_mentions":[]},"retweet_count":161,"favorited":false,"lang":"en"}},
      {"created_at":"Thu Oct 11 20:19:24 +0000 2018","id":1050118621198921730,"id_str":"1050118621198921730","text":"y","truncated":false,"in_reply_to_status_id":1050118621198921728,"in_reply_to_status_id_str":"1050118621198921728","in_reply_to_user_id_str":"6253282","user":{"id":5,"id_str":"5","name":"A","screen_name":"A","location":"","url":null,"protected":false,"followers_count":3,"created_at":"Wed May 23 06:01:13 +0000 2008","entities":{"description":{"urls":[]}}},"geo":null,"coordinates":null,"place":null,"entities":{"hashtags":[],"urls":[],"user_mentions":[]},"retweet_count":0,"favorited":true,"lang":"en"}]
      """#)

  static let dotNet = Shape(
    name: "dotNet", entity: "Order", path: "d.results", key: "OrderID",
    json: #"""
      {"d":{"results":[{"__metadata":{"uri":"http://x/Orders(1)","type":"Northwind.Order"},"OrderID":1,"CustomerID":"A","OrderDate":"/Date(836438400000)/","Freight":"32.38","Customer":{"__deferred":{"uri":"http://x/1"}},"Lines":[{"LineID":1,"Qty":2},{"LineID":2,"Qty":1}]},{"__metadata":{"uri":"http://x/Orders(2)","type":"Northwind.Order"},"OrderID":2,"CustomerID":"B","OrderDate":"/Date(836524800000)/","Freight":"11.61","Customer":{"__deferred":{"uri":"http://x/2"}},"Lines":[]}]}}
      """#)

  static let playlist = Shape(
    name: "playlist", entity: "Item", path: "items", key: nil,
    json: #"""
      {"href":"https://api.spotify.com/v1/playlists/x/tracks","limit":2,"next":null,"offset":0,"previous":null,"total":2,"items":[
      {"added_at":"2014-08-18T20:16:08Z","added_by":{"external_urls":{"spotify":"http://open.spotify.com/user/m"},"href":"https://api.spotify.com/v1/users/m","id":"m","type":"user","uri":"spotify:user:m"},"is_local":false,"track":{"album":{"album_type":"single","artists":[{"external_urls":{"spotify":"https://o/artist/1"},"href":"https://a/1","id":"ar1","name":"One","type":"artist","uri":"spotify:artist:ar1"}],"available_markets":["AD","AR"],"external_urls":{"spotify":"https://o/album/1"},"href":"https://a/al1","id":"al1","images":[{"height":640,"url":"https://i/1","width":640},{"height":300,"url":"https://i/2","width":300}],"name":"Alb","release_date":"2014","release_date_precision":"year","type":"album","uri":"spotify:album:al1"},"artists":[{"external_urls":{"spotify":"https://o/artist/1"},"href":"https://a/1","id":"ar1","name":"One","type":"artist","uri":"spotify:artist:ar1"}],"disc_number":1,"duration_ms":268000,"explicit":false,"external_ids":{"isrc":"X1"},"href":"https://a/t1","id":"t1","is_local":false,"name":"T1","popularity":5,"preview_url":null,"track_number":1,"type":"track","uri":"spotify:track:t1"},"video_thumbnail":{"url":null}},
      {"added_at":"2014-08-18T20:16:08Z","added_by":{"external_urls":{"spotify":"http://open.spotify.com/user/m"},"href":"https://api.spotify.com/v1/users/m","id":"m","type":"user","uri":"spotify:user:m"},"is_local":false,"track":{"album":{"album_type":"album","artists":[],"available_markets":[],"external_urls":{"spotify":"https://o/album/2"},"href":"https://a/al2","id":"al2","images":[],"name":"Alb2","release_date":"2014-01-01","release_date_precision":"day","type":"album","uri":"spotify:album:al2"},"artists":[{"external_urls":{"spotify":"https://o/artist/1"},"href":"https://a/1","id":"ar1","name":"One","type":"artist","uri":"spotify:artist:ar1"}],"disc_number":1,"duration_ms":1000,"explicit":true,"external_ids":{"isrc":"X2"},"href":"https://a/t2","id":"t2","is_local":false,"name":"T2","popularity":7,"preview_url":null,"track_number":2,"type":"track","uri":"spotify:track:t2"},"video_thumbnail":{"url":null}}]}
      """#)

  static let messages = Shape(
    name: "messages", entity: "Message", path: "messages", key: nil,
    json: #"""
      {"ok":true,"messages":[{"type":"message","user":"U1","text":"Hi","ts":"1512085950.000216","reactions":[{"name":"grin","users":["U1","U2"],"count":2}]},{"type":"message","user":"U2","text":"Ho","ts":"1512104434.000490","attachments":[{"id":1,"text":"x","fallback":"f"}]}],"has_more":true,"pin_count":0,"response_metadata":{"next_cursor":"bmV4dA=="}}
      """#)

  static let members = Shape(
    name: "members", entity: "Member", path: "members", key: "id",
    json: #"""
      {"ok":true,"members":[{"id":"W012A3CDE","team_id":"T012AB3C4","name":"spengler","deleted":false,"color":"9f69e7","real_name":"spengler","tz":"America/Los_Angeles","tz_offset":-25200,"profile":{"avatar_hash":"ge3b51ca72de","status_text":"Print is dead","email":"s@g.ex","image_24":"https://x/24.jpg","team":"T012AB3C4","fields":{"Xf1":{"value":"a","alt":""}}},"is_admin":true,"updated":1502138686},{"id":"W07QCRPA4","team_id":"T0G9PQBBK","name":"glinda","deleted":false,"color":"9f69e7","real_name":"Glinda","tz":"America/Los_Angeles","tz_offset":-25200,"profile":{"avatar_hash":"8fbdd10b41c6","status_text":"","email":"g@g.ex","image_24":"https://x/25.jpg","team":"T0G9PQBBK","fields":null},"is_admin":false,"updated":1480527098}],"cache_ts":1498777272}
      """#)

  static let forecastInColumns = Shape(
    name: "forecastInColumns", entity: "Forecast", path: nil, key: nil,
    json: #"""
      {"latitude":52.52,"longitude":13.419,"generationtime_ms":2.2119,"utc_offset_seconds":0,"timezone":"Europe/Berlin","timezone_abbreviation":"CEST","elevation":44.812,"hourly":{"time":["2022-07-01T00:00","2022-07-01T01:00"],"temperature_2m":[13,12.7]},"hourly_units":{"temperature_2m":"°C"}}
      """#)

  static let forecastInSteps = Shape(
    name: "forecastInSteps", entity: "Forecast", path: "list", key: nil,
    json: #"""
      {"cod":"200","message":0,"cnt":3,"list":[
      {"dt":1661871600,"main":{"temp":296.76,"humidity":69},"weather":[{"id":500,"main":"Rain","description":"light rain","icon":"10d"}],"clouds":{"all":100},"wind":{"speed":0.62,"deg":349,"gust":1.18},"visibility":10000,"pop":0.32,"rain":{"3h":0.26},"sys":{"pod":"d"},"dt_txt":"2022-08-30 15:00:00"},
      {"dt":1661882400,"main":{"temp":295.45,"humidity":71},"weather":[{"id":500,"main":"Rain","description":"light rain","icon":"10n"}],"clouds":{"all":96},"wind":{"speed":1.97,"deg":157,"gust":3.39},"visibility":10000,"pop":0.33,"rain":{"3h":0.57},"sys":{"pod":"n"},"dt_txt":"2022-08-30 18:00:00"},
      {"dt":1661893200,"main":{"temp":292.46,"humidity":80},"weather":[{"id":800,"main":"Clear","description":"clear","icon":"01n"}],"clouds":{"all":6},"wind":{"speed":2.66,"deg":210,"gust":3.58},"visibility":10000,"pop":0.7,"sys":{"pod":"n"},"dt_txt":"2022-08-30 21:00:00"}],"city":{"id":3163858,"name":"Zocca","coord":{"lat":44.34,"lon":10.99},"country":"IT","sunrise":1661834187}}
      """#)

  static let weather = Shape(
    name: "weather", entity: "Weather", path: nil, key: nil,
    json: #"""
      {"location":{"name":"London","region":"City","lat":51.52,"lon":-0.11,"tz_id":"Europe/London","localtime_epoch":1613896955,"localtime":"2021-02-21 8:42"},"current":{"last_updated_epoch":1613896210,"temp_c":11,"condition":{"text":"Partly cloudy","icon":"//cdn/116.png","code":1003}},"forecast":{"forecastday":[{"date":"2021-02-21","date_epoch":1613865600,"day":{"maxtemp_c":11,"condition":{"text":"Sunny","icon":"//cdn/113d.png","code":1000}},"hour":[{"time_epoch":1613865600,"time":"2021-02-21 00:00","temp_c":9,"condition":{"text":"Clear","icon":"//cdn/113n.png","code":1000}}]}]}}
      """#)

  static let countries = Shape(
    name: "countries", entity: "Country", path: nil, key: "cca3",
    json: #"""
      [{"name":{"common":"Germany","official":"Federal Republic of Germany","nativeName":{"deu":{"official":"Bundesrepublik Deutschland","common":"Deutschland"}}},"tld":[".de"],"cca2":"DE","ccn3":"276","cca3":"DEU","cioc":"GER","independent":true,"currencies":{"EUR":{"name":"Euro","symbol":"€"}},"capital":["Berlin"],"region":"Europe","languages":{"deu":"German"},"latlng":[51.0,9.0],"borders":["AUT","BEL"],"area":357114.0,"maps":{"googleMaps":"https://g/1"},"population":83240525,"flags":{"png":"https://f/de.png"},"postalCode":{"format":"#####","regex":"^(\\d{5})$"}},
      {"name":{"common":"Kosovo","official":"Republic of Kosovo","nativeName":{"sqi":{"official":"R","common":"Kosova"},"srp":{"official":"R","common":"Косово"}}},"cca2":"XK","cca3":"UNK","independent":false,"currencies":{"EUR":{"name":"Euro","symbol":"€"}},"capital":["Pristina"],"region":"Europe","languages":{"sqi":"Albanian","srp":"Serbian"},"latlng":[42.66,21.16],"borders":["ALB"],"area":10908.0,"maps":{"googleMaps":"https://g/2"},"population":1775378,"flags":{"png":"https://f/xk.png"}},
      {"name":{"common":"Antarctica","official":"Antarctica","nativeName":{}},"tld":[".aq"],"cca2":"AQ","ccn3":"010","cca3":"ATA","independent":false,"currencies":{},"region":"Antarctic","languages":{},"latlng":[-90.0,0.0],"area":14000000.0,"maps":{"googleMaps":"https://g/3"},"population":1000,"flags":{"png":"https://f/aq.png"}}]
      """#)

  static let edges = Shape(
    name: "edges", entity: "Issue", path: "data.repository.issues.edges", key: "node.id",
    json: #"""
      {"data":{"repository":{"issues":{"totalCount":2,"pageInfo":{"endCursor":"Y3","hasNextPage":true},"edges":[{"cursor":"a","node":{"__typename":"Issue","id":"I_1","title":"A","author":{"__typename":"User","login":"ann"},"labels":{"nodes":[{"__typename":"Label","id":"L_1","name":"bug"}]}}},{"cursor":"b","node":{"__typename":"Issue","id":"I_2","title":"B","author":null,"labels":{"nodes":[{"__typename":"Label","id":"L_1","name":"bug"},{"__typename":"Label","id":"L_2","name":"ios"}]}}}]}}}}
      """#)

  static let hitsOfTwoTypes = Shape(
    name: "hitsOfTwoTypes", entity: "Hit", path: nil, key: nil,
    json: #"""
      [{"type":"user","id":1,"name":"Ann"},{"type":"repo","id":1,"name":"app","stars":3},{"type":"repo","id":2,"name":"lib","stars":4}]
      """#)

  static let prices = Shape(
    name: "prices", entity: "Price", path: nil, key: nil,
    json: #"""
      [{"name":"Tea","price":4.5,"updated":"2024-01-01T10:00:00Z","stock":3},{"name":"Cup","price":7,"updated":"2024-01-02T10:00:00Z","stock":3}]
      """#)

  static let rates = Shape(
    name: "rates", entity: "Rate", path: nil, key: nil,
    json: #"""
      [{"date":"2024-01-01","rate":1.1,"currency":"USD"},{"date":"2024-01-02","rate":1.2,"currency":"USD"},{"date":"2024-01-03","rate":1.3,"currency":"USD"}]
      """#)

  static let contentServer = Shape(
    name: "contentServer", entity: "Article", path: "data", key: "id",
    json: #"""
      {"data":[{"id":1,"attributes":{"title":"A","createdAt":"2022-02-01T10:00:00.000Z","author":{"data":{"id":3,"attributes":{"name":"Ann"}}},"tags":{"data":[{"id":3,"attributes":{"label":"x"}}]}}},{"id":2,"attributes":{"title":"B","createdAt":"2022-02-01T10:00:00.000Z","author":{"data":null},"tags":{"data":[]}}}],"meta":{"pagination":{"page":1}}}
      """#)

  static let contentEntries = Shape(
    name: "contentEntries", entity: "Cat", path: "items", key: "sys.id",
    json: #"""
      {"sys":{"type":"Array"},"total":2,"items":[
      {"metadata":{"tags":[]},"sys":{"space":{"sys":{"type":"Link","linkType":"Space","id":"s1"}},"id":"c1","type":"Entry","createdAt":"2013-06-27T22:46:19.513Z","revision":5},"fields":{"name":"Nyan","likes":["fish"],"bestFriend":{"sys":{"type":"Link","linkType":"Entry","id":"c2"}},"lives":1337}},
      {"metadata":{"tags":[]},"sys":{"space":{"sys":{"type":"Link","linkType":"Space","id":"s1"}},"id":"c2","type":"Entry","createdAt":"2013-06-27T22:46:20.171Z","revision":8},"fields":{"name":"Happy","likes":[],"bestFriend":{"sys":{"type":"Link","linkType":"Entry","id":"c1"}},"lives":1}}],
      "includes":{"Asset":[{"sys":{"id":"a1","type":"Asset"},"fields":{"title":"Nyan","file":{"url":"//x/a.png","details":{"size":12273}}}}]}}
      """#)

  static let bundle = Shape(
    name: "bundle", entity: "Entry", path: "entry", key: "resource.id",
    json: #"""
      {"resourceType":"Bundle","type":"searchset","total":2,"link":[{"relation":"self","url":"https://f.example.com"}],"entry":[
      {"fullUrl":"https://f.example.com/Patient/p1","resource":{"resourceType":"Patient","id":"p1","meta":{"versionId":"1","lastUpdated":"2021-05-17T11:13:38.171+00:00"},"active":true,"name":[{"use":"official","family":"Chalmers","given":["Peter"]}],"birthDate":"1974-12-25","managingOrganization":{"reference":"Organization/1"}},"search":{"mode":"match"}},
      {"fullUrl":"https://f.example.com/Patient/p2","resource":{"resourceType":"Patient","id":"p2","meta":{"versionId":"3","lastUpdated":"2021-05-18T11:13:38.171+00:00"},"active":true,"name":[{"use":"nickname","given":["JD"]}],"birthDate":"1980-01"},"search":{"mode":"match"}}]}
      """#)

  static let pods = Shape(
    name: "pods", entity: "Pod", path: "items", key: "metadata.uid",
    json: #"""
      {"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"1452"},"items":[
      {"metadata":{"name":"a","namespace":"default","uid":"5f1c-1","creationTimestamp":"2023-01-01T00:00:00Z","labels":{"app":"web","pod-template-hash":"x"}},"spec":{"nodeName":"n1","containers":[{"name":"c","image":"nginx:1","ports":[{"containerPort":80}]}]},"status":{"phase":"Running","podIP":"10.0.0.1"}},
      {"metadata":{"name":"b","namespace":"default","uid":"5f1c-2","creationTimestamp":"2023-01-01T00:00:01Z","labels":{"app":"web"}},"spec":{"nodeName":"n1","containers":[{"name":"c","image":"nginx:1"}]},"status":{"phase":"Pending"}}]}
      """#)

  static let feed = Shape(
    name: "feed", entity: "Feed", path: "feed", key: nil,
    json: #"""
      {"cursor":"c1","feed":[
      {"post":{"uri":"at://did:plc:a/post/1","cid":"bafy1","author":{"did":"did:plc:a","handle":"ann.example.com"},"record":{"$type":"app.bsky.feed.post","createdAt":"2024-01-01T00:00:00.000Z","langs":["en"],"text":"hello"},"likeCount":2,"labels":[]}},
      {"post":{"uri":"at://did:plc:b/post/2","cid":"bafy2","author":{"did":"did:plc:b","handle":"bob.example.com"},"record":{"$type":"app.bsky.feed.post","createdAt":"2024-01-02T00:00:00.000Z","text":"re"},"likeCount":0,"labels":[]},"reply":{"root":{"uri":"at://did:plc:a/post/1","cid":"bafy1"}}}]}
      """#)

  static let posts = Shape(
    name: "posts", entity: "Post", path: "feed[].post", key: "uri", json: feed.json)

  static let features = Shape(
    name: "features", entity: "Feature", path: "features", key: "properties.id",
    json: #"""
      {"type":"FeatureCollection","features":[
      {"type":"Feature","properties":{"id":"q1","mag":1.6,"time":1699999999123,"tz":null,"type":"earthquake"},"geometry":{"type":"Point","coordinates":[-116.8,33.5,12.3]}},
      {"type":"Feature","properties":{"id":"q2","mag":2,"time":1699999990123,"tz":null,"type":"earthquake"},"geometry":{"type":"Point","coordinates":[-117,34,-1.2]}}]}
      """#)

  static let hits = Shape(
    name: "hits", entity: "Hit", path: "hits.hits", key: "_id",
    json: #"""
      {"took":5,"hits":{"total":{"value":2,"relation":"eq"},"hits":[
      {"_index":"logs","_id":"1","_score":1.0,"_source":{"@timestamp":"2099-11-15T14:12:12","http":{"request":{"method":"get"}},"bytes":1070000}},
      {"_index":"logs","_id":"2","_score":1.0,"_source":{"@timestamp":"2099-11-15T01:46:38.123456789Z","http":{"request":{"method":"post"}},"bytes":36}}]}}
      """#)
}
