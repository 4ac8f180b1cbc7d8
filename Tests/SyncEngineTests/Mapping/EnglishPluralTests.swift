import SyncEngine
import Testing

/// Names of many and of one.
@Suite struct EnglishPluralTests {
  /// Each is the other's.
  private static let pairs: [(one: String, many: String)] =
    [
      ("search", "searches"), ("switch", "switches"), ("fix", "fixes"), ("box", "boxes"),
      ("process", "processes"), ("address", "addresses"), ("case", "cases"), ("stack", "stacks"),
      ("wish", "wishes"), ("category", "categories"), ("query", "queries"),
      ("ability", "abilities"),
      ("agency", "agencies"), ("movie", "movies"), ("archive", "archives"), ("index", "indices"),
      ("wife", "wives"), ("half", "halves"), ("move", "moves"), ("salesperson", "salespeople"),
      ("person", "people"), ("spokesman", "spokesmen"), ("man", "men"), ("woman", "women"),
      ("basis", "bases"), ("diagnosis", "diagnoses"), ("datum", "data"), ("medium", "media"),
      ("stadium", "stadia"), ("analysis", "analyses"), ("child", "children"),
      ("experience", "experiences"),
      ("day", "days"), ("comment", "comments"), ("newsletter", "newsletters"), ("quiz", "quizzes"),
      ("perspective", "perspectives"), ("ox", "oxen"), ("photo", "photos"),
      ("buffalo", "buffaloes"),
      ("tomato", "tomatoes"), ("potato", "potatoes"), ("elf", "elves"), ("bus", "buses"),
      ("status", "statuses"), ("mouse", "mice"), ("louse", "lice"), ("house", "houses"),
      ("octopus", "octopi"), ("virus", "viri"), ("alias", "aliases"), ("portfolio", "portfolios"),
      ("vertex", "vertices"), ("matrix", "matrices"), ("axis", "axes"), ("taxi", "taxis"),
      ("testis", "testes"), ("crisis", "crises"), ("shoe", "shoes"), ("horse", "horses"),
      ("prize", "prizes"), ("edge", "edges"), ("cow", "cows"), ("database", "databases"),
    ] + [
      ("knife", "knives"), ("life", "lives"), ("leaf", "leaves"), ("shelf", "shelves"),
      ("wolf", "wolves"), ("thief", "thieves"), ("scarf", "scarves"), ("curve", "curves"),
      ("objective", "objectives"), ("cave", "caves"), ("reserve", "reserves"), ("chief", "chiefs"),
      ("belief", "beliefs"), ("proof", "proofs"), ("size", "sizes"), ("response", "responses"),
      ("cause", "causes"), ("bonus", "bonuses"), ("campus", "campuses"), ("use", "uses"),
      ("bias", "biases"), ("atlas", "atlases"), ("canvas", "canvases"), ("lens", "lenses"),
      ("release", "releases"), ("purchase", "purchases"), ("cache", "caches"), ("batch", "batches"),
      ("hero", "heroes"), ("echo", "echoes"), ("video", "videos"), ("cookie", "cookies"),
      ("calorie", "calories"), ("tie", "ties"), ("company", "companies"), ("monkey", "monkeys"),
      ("criterion", "criteria"), ("phenomenon", "phenomena"), ("hypothesis", "hypotheses"),
      ("appendix", "appendices"), ("tooth", "teeth"), ("foot", "feet"), ("radius", "radii"),
      ("price", "prices"), ("invoice", "invoices"), ("device", "devices"), ("voice", "voices"),
      ("class", "classes"), ("tax", "taxes"), ("buzz", "buzzes"), ("waltz", "waltzes"),
      ("course", "courses"), ("exercise", "exercises"), ("licence", "licences"),
      ("album", "albums"), ("emoji", "emojis"), ("menu", "menus"), ("api", "apis"),
    ]

  @Test func oneAndManyAreFoundByThemselvesAndBehindOtherWords() {
    for (one, many) in Self.pairs {
      #expect(Inflection.singulars(many).first == one, "\(many)")
      #expect(Inflection.plural(one) == many, "\(one)")
      let (ending, endings) = (
        one.prefix(1).uppercased() + one.dropFirst(), many.prefix(1).uppercased() + many.dropFirst()
      )
      #expect(Inflection.singulars("old\(endings)").first == "old\(ending)", "\(many)")
      #expect(Inflection.plural("old_\(one)") == "old_\(many)", "\(one)")
    }
  }

  @Test(arguments: [
    "equipment", "information", "rice", "money", "species", "series", "miniseries", "fish",
    "sheep",
    "jeans", "police", "news", "metadata", "feedback", "analytics",
  ])
  func wordsThatAreOneAndManyOrOnlyLookLikeItAreKnown(_ word: String) {
    #expect(Inflection.singulars(word) == [])
    #expect(Inflection.plural(word) == word)
    #expect(Inflection.singulars("daily_\(word)") == [])
  }

  @Test(arguments: ["address", "status", "analysis", "bus", "lens", "dns", "name", "is", "s", ""])
  func namesThatAreNoPluralHaveNoSingular(_ word: String) {
    #expect(Inflection.singulars(word) == [])
  }

  @Test(arguments: [
    ("bases", ["basis", "base"]), ("axes", ["axis", "axe"]),
    ("categories", ["category", "categorie"]),
    ("movies", ["movie"]), ("boxes", ["box", "boxe"]), ("userIDs", ["userID"]),
  ])
  func whereAPluralHasTwoSingularsTheLikelierComesFirst(_ many: String, _ one: [String]) {
    #expect(Inflection.singulars(many) == one)
  }
}
