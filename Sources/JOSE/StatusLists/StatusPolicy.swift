import StrictJSON

/// Whether the claim `status` of a token is looked up.
///
/// ```swift
/// let lists = StatusLists(verifier: verifierOfLists, transport: send)
/// policy.status = .ifPresent(lists)
/// ```
///
/// A token is refused whose status is anything but ``TokenStatus/valid``, or can't be told. It is asked for last: a
/// token that has expired stays so.
public struct StatusPolicy: Sendable {
  let lists: StatusLists?
  let isRequired: Bool

  /// What the claim says doesn't matter.
  public static let notChecked = StatusPolicy(lists: nil, isRequired: false)

  /// A token without the claim is accepted.
  public static func ifPresent(_ lists: StatusLists) -> StatusPolicy { StatusPolicy(lists: lists, isRequired: false) }

  /// A token without the claim is refused.
  public static func required(_ lists: StatusLists) -> StatusPolicy { StatusPolicy(lists: lists, isRequired: true) }

  /// Judges a token by the lists that are at hand.
  ///
  /// - Throws: ``ErrorCode/statusRefused``, ``ErrorCode/statusUnavailable``, ``ErrorCode/claimInvalid``,
  ///   ``ErrorCode/claimMissing``.
  func check(_ claims: JSONView) throws(JOSEError) {
    guard let lists else { return }
    guard let reference = try StatusReference(in: claims) else {
      guard !isRequired else { throw ClaimsUnderRule.missing("status") }
      return
    }
    let status = try lists.statusAtHand(of: reference)
    guard status == .valid else { throw status.refusal }
  }

  /// Runs a verification, and once more if a list had to be fetched for it.
  func loading<Value>(_ verify: () throws(JOSEError) -> Value) async throws(JOSEError) -> Value {
    guard let lists else { return try verify() }
    return try await lists.loading(verify)
  }
}

extension TokenStatus {
  /// Why a token of this status is refused.
  var refusal: JOSEError {
    let text: StaticString =
      switch self {
      case .invalid: "the token has been revoked: get a new one"
      case .suspended: "the token is suspended for now"
      default: "the token's status is neither valid nor invalid nor suspended"
      }
    return JOSEError(.statusRefused, text, name: "status", detail: description)
  }
}
