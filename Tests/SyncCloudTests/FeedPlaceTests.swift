import Testing

@testable import SyncCloud

/// Places in the changes of a collection, whose server may commit a version up to five seconds
/// after later ones.
@Suite struct FeedPlaceTests {
  private func place(
    _ times: [Int64], newest: Int64? = nil, clock: Int64?, after place: FeedPlace = FeedPlace(),
    isFirst: Bool = true, hasMore: Bool = false
  ) -> FeedPlace {
    var place = place
    place.pass(
      times, newest: newest ?? times.last, clock: clock, isFirst: isFirst, hasMore: hasMore)
    return place
  }

  @Test func whatIsOldIsSettledAtOnce() {
    let place = place([1_000, 2_000], clock: 7_000)
    #expect(place.isSettled && place.text == "2000")
  }

  @Test func whatIsNewIsReadAgainAndKnown() {
    let first = place([10_000, 20_000, 21_000], clock: 22_000)
    #expect(!first.isSettled && first.start == 17_000 && first.known == [20_000, 21_000])
    #expect(!first.settles(at: 25_999) && first.settles(at: 26_000))
    let second = place([20_000, 20_500, 21_000], clock: 24_000, after: first)
    #expect(second.start == 19_000 && second.known == [20_000, 20_500, 21_000])
    #expect(place([20_500], newest: 21_000, clock: 26_000, after: second).text == "21000")
  }

  @Test func aServerWithoutAClockIsNeverSettled() {
    let first = place([20_000], clock: nil)
    #expect(first.start == 15_000 && place([20_000], clock: nil, after: first).start == 15_000)
  }

  @Test func pagesGoOnWhereTheLastOneEndedAndSettleWhatTheFirstOneDid() {
    var place = place([1_000, 2_000], newest: 30_000, clock: 31_000, hasMore: true)
    #expect(place.isAmongPages && place.start == 2_000 && place.settled == 26_000)
    place = self.place(
      [25_000, 27_000], newest: 40_000, clock: 60_000, after: place, isFirst: false, hasMore: true)
    #expect(place.start == 27_000 && place.settled == 26_000)
    place = self.place(
      [30_000, 40_000], newest: 40_000, clock: 90_000, after: place, isFirst: false)
    #expect(
      place.start == 26_000 && place.known == [27_000, 30_000, 40_000] && !place.isAmongPages)
  }

  @Test func whatWasWrittenIsKnownUntilItIsSettled() {
    var place = place([1_000], clock: 10_000)
    place.remember([11_000, 12_000])
    #expect(!place.isSettled && !place.isWhole && place.start == 1_000 && place.newest == 12_000)
    place.remember([500])
    #expect(place.known == [11_000, 12_000])
    place = self.place([11_000, 12_000], clock: 17_000, after: place)
    #expect(place.isSettled && place.known.isEmpty)
  }

  @Test func aPlaceComesBackFromItsText() throws {
    var place = place([20_000], clock: 21_000)
    place.remember([21_500, 22_000])
    #expect(!place.isWhole && FeedPlace(place.text) == place)
    let pages = self.place([5], newest: 30_000, clock: 31_000, hasMore: true)
    #expect(FeedPlace(pages.text) == pages)
    #expect(FeedPlace("2000")?.isSettled == true)
  }

  @Test(arguments: [
    "", "none", "-1", "1+2", "1+2+3", "1+2+x+", "1+2+3+4+5", "9223372036854775807", "1+2+3+a",
    "1+2+3+9223372036854775807", "1e3",
  ])
  func whatIsNoPlaceIsNone(_ text: String) {
    #expect(FeedPlace(text) == nil)
  }
}
