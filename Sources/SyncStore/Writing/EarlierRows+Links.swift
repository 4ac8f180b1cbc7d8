import SyncCore

/// The links that a transaction changes, as they were before it.
extension EarlierRows {
  func name(_ link: LinkTable) -> String { "_earlier_link_\(link.index)" }

  /// The columns of both positions; `NULL` where the table has none.
  func positions(_ link: LinkTable, of prefix: String) -> String {
    let source = link.isSourceOrdered ? "\(prefix).source_position" : "NULL"
    return source + ", " + (link.isTargetOrdered ? "\(prefix).target_position" : "NULL")
  }

  func beginLinks() throws {
    for link in layout.links {
      let name = name(link)
      try connection.execute(
        "CREATE TEMP TABLE \(name) (source INTEGER, target INTEGER, is_there INTEGER, "
          + "source_position INTEGER, target_position INTEGER, PRIMARY KEY (source, target)) "
          + "WITHOUT ROWID")
      for event in ["UPDATE", "DELETE"] {
        try connection.execute(
          """
          CREATE TEMP TRIGGER \(name)_\(event) AFTER \(event) ON main.\(link.quoted)
          BEGIN INSERT OR IGNORE INTO \(name)
          VALUES (OLD.source, OLD.target, 1, \(positions(link, of: "OLD"))); END
          """)
      }
    }
  }

  func endLinks() throws {
    for link in layout.links {
      for event in ["UPDATE", "DELETE"] {
        try connection.execute("DROP TRIGGER IF EXISTS temp.\(name(link))_\(event)")
      }
      try connection.execute("DROP TABLE IF EXISTS temp.\(name(link))")
    }
  }

  /// Notes that links were not there. Those of new objects go when these go, and are passed over:
  /// a first import has nothing but such.
  func noteNewLinks(
    _ entries: [LinkWriter.Entry], _ link: LinkTable, _ recorder: ChangeRecorder
  ) throws {
    let firsts = firstNewRows(link, recorder)
    let statement = try connection.statement(
      "INSERT OR IGNORE INTO \(name(link)) VALUES (?, ?, 0, NULL, NULL)")
    for entry in entries
    where entry.pair.source < firsts.source && entry.pair.target < firsts.target {
      statement.bind(1, entry.pair.source)
      statement.bind(2, entry.pair.target)
      try statement.run()
    }
  }

  /// The first rows of new objects at both ends of a link table.
  func firstNewRows(
    _ link: LinkTable, _ recorder: ChangeRecorder
  ) -> (source: Int64, target: Int64) {
    let source = layout.entities[link.sourceEntity]
    let destination = source.entity.properties[link.sourceSlot].relationship?.destinationIndex
    let target = layout.entities[destination ?? link.sourceEntity]
    return (recorder.firstNewRow[source.table.index], recorder.firstNewRow[target.table.index])
  }
}
