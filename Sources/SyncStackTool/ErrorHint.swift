import SyncCloud
import SyncStack

/// Says which option of the command line helps where an error speaks of the library's calls.
enum ErrorHint {
  /// The error as the command line says it.
  static func message(of error: any Error) -> String { ToolMessage.text("\(error)") }

  /// - Parameter arguments: The command line; nil is none that makes sense.
  static func text(for error: any Error, of arguments: Arguments? = nil) -> String? {
    if let error = error as? JSONError, error.code == .compressed {
      return "With this command: pipe what that writes into 'syncstack import --stdin', with the "
        + "same options."
    }
    if let error = error as? StoreError {
      switch error.code {
      case .migrationNeeded:
        return "With this command: --migrate brings the store to the model, and a copy of the file "
          + "stays beside it; or give the model that it was made with."
      case .busy:
        return "Try again when the other one has finished, or let --wait SECONDS wait longer."
      default: return nil
      }
    }
    if let error = error as? CloudError {
      switch error.code {
      case .zoneReplaced, .accountChanged:
        return
          "With this command: 'syncstack push --everything' sends all objects of this store to the server and "
          + "merges them with what is there; 'syncstack pull --replace-local' takes what is there instead."
      case .deletionRefused: return guardHint
      case .notOwner: return "With this command: --app gives another name."
      case .notSignedIn:
        return
          "With this command: --user names the account, and \(CloudSettings.passwordVariable) in the "
          + "environment holds its password."
      default: return nil
      }
    }
    guard let error = error as? SyncError else { return nil }
    switch error.code {
    case .deletionRefused:
      guard arguments?.knows("--operations") == true else { return guardHint }
      return "With this command: --guard off allows it, and --guard count=N,share=N%,empty=N sets "
        + "the limits; --operations insert,update,relationships or --where keep the rest"
        + (namesList(error)
          ? "." : "; \(ToolMessage.listOption) names the list when it lies deeper in the document.")
    case .missingKey, .unknownKind, .invalidItem, .typeMismatch, .outOfRange, .invalidDate,
      .requiredValueMissing,
      .invalidValue, .invalidMemberCount, .tooManyObjects:
      var hints: [String] = []
      if arguments?["--on-error"] == ItemErrorPolicy.fail.rawValue {
        hints.append("--on-error skip leaves out objects that cannot be used")
      }
      if arguments?.knows(ToolMessage.listOption) == true, !namesList(error) {
        hints.append("\(ToolMessage.listOption) names the list when it lies deeper in the document")
      }
      return hints.isEmpty ? nil : "With this command: \(hints.joined(separator: "; "))."
    case .ambiguousRelationship:
      return "With this command: --parent ENTITY:ID:RELATIONSHIP."
    case .noPrimaryKey:
      return
        "With this command: --operations insert,relationships,alwaysInsert adds all items each time."
    case .unknownEntity, .unknownProperty, .parentNotFound, .objectNotFound,
      .ambiguousStored, .unreadablePayload, .invalidRequest:
      return nil
    }
  }

  private static let guardHint =
    "With this command: --guard off allows it, and --guard count=N,share=N% sets the limits."

  /// Whether an error says already where the list lies.
  private static func namesList(_ error: SyncError) -> Bool {
    message(of: error).contains(ToolMessage.listOption)
  }
}
