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
}
