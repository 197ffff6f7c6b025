import JOSE

extension SQLDriver {
  /// Removes expired rate limits, and records a minute after they expired, in case a clock is set back. It removes a
  /// thousand records at a time, so that no other writer waits for all of them.
  ///
  /// - Throws: the driver's error.
  public func removeExpired(at date: NumericDate) async throws {
    let (records, batch) = (SQLRecordStore(driver: self), 1000)
    while try await records.removeExpired(before: date.advanced(by: .seconds(-60)), limit: batch) == batch {}
    try await SQLRateLimiter(driver: self).removeExpired(at: date)
  }
}
