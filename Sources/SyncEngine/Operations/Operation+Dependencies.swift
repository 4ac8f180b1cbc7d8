// An operation that is cancelled while it waits for others finishes before them. Foundation outside
// Apple's systems keeps it noted with the ones that it waited for, without keeping it alive: once
// it is gone, they finish into freed memory, and the process ends.
import Foundation

extension Operation {
  #if canImport(ObjectiveC)
    /// Does nothing: here the ones that it waits for know when it has gone.
    func leaveUnfinishedDependencies() {}
  #else
    /// Takes a cancelled operation off the lists of those that it need not wait for any longer. Has
    /// to be called before it counts as finished.
    func leaveUnfinishedDependencies() {
      for dependency in dependencies where !dependency.isFinished { removeDependency(dependency) }
    }
  #endif
}
