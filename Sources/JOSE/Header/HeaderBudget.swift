import StrictJSON

/// What all headers of one message may have together, so that splitting them among signatures and recipients gains
/// nothing.
struct HeaderBudget {
  private var byteCount: Int
  private var memberCount: Int

  init(_ limits: Limits) {
    byteCount = limits.headerByteCount
    memberCount = limits.headerMemberCount
  }

  /// Takes a header's octets and members out of the budget.
  ///
  /// - Throws: ``ErrorCode/limitExceeded``.
  mutating func spend(byteCount bytes: Int, memberCount members: Int = 0) throws(JOSEError) {
    // Neither number is negative, and what is left is never below zero once something was taken.
    guard bytes <= byteCount else {
      throw JOSEError(.limitExceeded, "the headers of the message are too long", name: "headerByteCount")
    }
    guard members <= memberCount else {
      throw JOSEError(.limitExceeded, "the headers of the message have too many members", name: "headerMemberCount")
    }
    byteCount -= bytes
    memberCount -= members
  }

  /// Takes a header that is to be written out of the budget.
  ///
  /// - Throws: ``ErrorCode/limitExceeded``, by the caller's fault.
  mutating func write(_ text: [UInt8], memberCount: Int) throws(JOSEError) {
    do throws(JOSEError) {
      try spend(byteCount: text.count, memberCount: memberCount)
    } catch {
      throw error.byCaller()
    }
  }

  /// The same of an unprotected header, which stands in a message only if it has members.
  mutating func write(unprotected header: JSONObject) throws(JOSEError) {
    if !header.isEmpty { try write(header.serialized(), memberCount: header.count) }
  }
}
