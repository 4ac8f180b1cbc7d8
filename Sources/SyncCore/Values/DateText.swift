package import Foundation

package enum DateText {
  package static func iso8601(_ date: Date) -> String {
    date.formatted(.iso8601)
  }
}
