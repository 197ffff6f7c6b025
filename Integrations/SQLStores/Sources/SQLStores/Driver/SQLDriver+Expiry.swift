import JOSE

extension SQLDriver {
  /// Removes what has expired: rate limits, and records for a minute more, for clocks that are set back. A thousand
  /// records at a time, so that no other writer waits for all of them.
  ///
  /// - Throws: the driver's error.
  public func removeExpired(at date: NumericDate) async throws {
    let (records, batch) = (SQLRecordStore(driver: self), 1000)
    while try await records.removeExpired(before: date.advanced(by: .seconds(-60)), limit: batch) == batch {}
    try await SQLRateLimiter(driver: self).removeExpired(at: date)
  }
}
