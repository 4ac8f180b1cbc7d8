extension Store {
  /// Whether reading does not wait for a write that runs.
  package var readsBesideWrites: Bool {
    readers != nil && configuration.journal == .writeAheadLog
  }

  /// Opens a connection that a transaction can read beside it with, if none is open that nobody uses. Takes as long as
  /// some thousand rows.
  package func prepareToReadBeside() {
    if readsBesideWrites { readers?.prepare(layout: layout) }
  }
}
