/// English words whose plural follows no rule.
enum EnglishWords {
  /// Words that are one and many, or that only look like a plural.
  static let unchanged: Set<String> = [
    "equipment", "information", "rice", "money", "species", "series", "miniseries", "fish",
    "sheep", "deer", "salmon", "trout", "aircraft", "spacecraft", "hovercraft", "jeans", "police",
    "news", "metadata", "software", "hardware", "feedback", "furniture", "luggage", "traffic",
    "weather", "music", "offspring", "swine", "bison", "moose", "chassis", "corps",
    "headquarters", "means", "analytics", "logistics", "mathematics", "physics", "economics",
    "politics", "athletics", "gymnastics", "electronics", "diabetes", "rabies", "pants",
    "trousers", "scissors", "glasses", "lens", "gas", "alias", "atlas", "canvas", "bias", "yes",
    "gps", "dns", "sms", "mms", "tls", "ios", "aws", "tos", "https", "christmas", "texas", "has",
    "was", "its", "as",
  ]

  /// Ends of words in which several of a thing differ from one: `salespeople`, `grandchildren`.
  static let endings: [(plural: String, singular: String)] = [
    ("people", "person"), ("children", "child"), ("women", "woman"), ("policemen", "policeman"),
    ("firemen", "fireman"), ("salesmen", "salesman"), ("spokesmen", "spokesman"),
    ("gentlemen", "gentleman"), ("chairmen", "chairman"), ("craftsmen", "craftsman"),
    ("sportsmen", "sportsman"), ("freshmen", "freshman"), ("workmen", "workman"),
    ("businessmen", "businessman"), ("cameramen", "cameraman"), ("teeth", "tooth"),
    ("mice", "mouse"), ("geese", "goose"), ("wives", "wife"), ("knives", "knife"),
    ("shelves", "shelf"), ("wolves", "wolf"), ("halves", "half"), ("thieves", "thief"),
    ("quizzes", "quiz"), ("databases", "database"), ("indices", "index"),
    ("vertices", "vertex"), ("matrices", "matrix"), ("analyses", "analysis"),
    ("diagnoses", "diagnosis"), ("prognoses", "prognosis"), ("parentheses", "parenthesis"),
    ("hypotheses", "hypothesis"), ("syntheses", "synthesis"), ("synopses", "synopsis"),
    ("ellipses", "ellipsis"), ("aliases", "alias"), ("statuses", "status"),
  ]

  /// Whole words, plural and singular.
  private static let pairs: [(plural: String, singular: String)] = [
    ("men", "man"), ("feet", "foot"), ("lice", "louse"), ("oxen", "ox"), ("dice", "die"),
    // From -f and -fe.
    ("lives", "life"), ("leaves", "leaf"), ("loaves", "loaf"), ("calves", "calf"),
    ("elves", "elf"), ("selves", "self"), ("scarves", "scarf"), ("hooves", "hoof"),
    ("dwarves", "dwarf"), ("wharves", "wharf"), ("sheaves", "sheaf"),
    // From Latin and Greek.
    ("data", "datum"), ("media", "medium"), ("criteria", "criterion"),
    ("phenomena", "phenomenon"), ("automata", "automaton"), ("bacteria", "bacterium"),
    ("stadia", "stadium"), ("strata", "stratum"), ("errata", "erratum"),
    ("memoranda", "memorandum"), ("addenda", "addendum"), ("curricula", "curriculum"),
    ("quanta", "quantum"), ("millennia", "millennium"), ("symposia", "symposium"),
    ("cacti", "cactus"), ("fungi", "fungus"), ("nuclei", "nucleus"), ("radii", "radius"),
    ("stimuli", "stimulus"), ("alumni", "alumnus"), ("foci", "focus"), ("loci", "locus"),
    ("syllabi", "syllabus"), ("octopi", "octopus"), ("viri", "virus"), ("genera", "genus"),
    ("corpora", "corpus"), ("schemata", "schema"), ("formulae", "formula"),
    ("larvae", "larva"), ("vertebrae", "vertebra"), ("antennae", "antenna"),
    ("alumnae", "alumna"), ("appendices", "appendix"), ("codices", "codex"),
    ("vortices", "vortex"), ("helices", "helix"), ("crises", "crisis"), ("theses", "thesis"),
    ("oases", "oasis"), ("testes", "testis"), ("geneses", "genesis"), ("axes", "axis"),
    ("bases", "basis"),
    // Those that end in -s already.
    ("atlases", "atlas"), ("canvases", "canvas"), ("biases", "bias"), ("gases", "gas"),
    ("lenses", "lens"), ("irises", "iris"), ("buses", "bus"), ("yeses", "yes"),
    ("christmases", "christmas"),
    // From -o, with an e.
    ("heroes", "hero"), ("potatoes", "potato"), ("tomatoes", "tomato"), ("echoes", "echo"),
    ("vetoes", "veto"), ("torpedoes", "torpedo"), ("buffaloes", "buffalo"),
    ("mosquitoes", "mosquito"), ("embargoes", "embargo"),
    ("passersby", "passerby"),
  ]

  /// Plurals that end like those of other words: of each of these the last letter goes.
  private static let plainEndings: [String] = [
    "movies", "cookies", "zombies", "brownies", "calories", "selfies", "genies", "rookies",
    "hoodies", "smoothies", "birdies", "caches", "niches", "aches", "headaches", "avalanches",
    "quiches", "moustaches", "shoes", "toes", "canoes", "oboes", "foes", "uses", "excuses",
    "abuses", "fuses", "muses", "impasses", "taxis", "apis", "emojis", "wikis", "skis", "kpis",
    "safaris", "menus", "gurus",
  ]

  static let singulars: [String: [String]] = {
    var result: [String: [String]] = [:]
    for pair in pairs { result[pair.plural] = [pair.singular] }
    for plural in plainEndings { result[plural] = [String(plural.dropLast())] }
    // Of two words.
    result["axes"] = ["axis", "axe"]
    result["bases"] = ["basis", "base"]
    return result
  }()

  static let plurals: [String: String] = {
    var result: [String: String] = [:]
    for pair in pairs { result[pair.singular] = pair.plural }
    // The forms used in programs.
    result["schema"] = "schemas"
    result["formula"] = "formulas"
    result["antenna"] = "antennas"
    result["focus"] = "focuses"
    result["genesis"] = "geneses"
    return result
  }()
}
