import JOSEHTTP
import StrictJSON

extension IdentityProvider {
  /// What a Mac understands of an error: 401 makes it ask the user for the credential again, every other status makes it try later.
  ///
  /// So 401 stands for a wrong credential alone, 400 for every other fault of the request, 405, 413 and 415 for faults of its HTTP form,
  /// 503 for a store or key that can't be reached and 500 for a fault of the program. The body is OAuth's `{"error": …}`; it never says
  /// which check failed. For an account that is locked, or a password that has expired or must be changed, which asking again would not
  /// help, it is 400 with a `suberror` that ``LoginConfiguration/isInvalidCredential`` may look at.
  public func errorResponse(for error: PlatformSSOError) -> HTTPResponseValue {
    let (status, text) = Self.status(error)
    var body: JSONObject = ["error": .string(text)]
    // What is wrong with an account that the user has proved to be his own.
    switch error.code {
    case .accountLocked: body["suberror"] = "account_locked"
    case .passwordExpired: body["suberror"] = "password_expired"
    case .passwordChangeRequired: body["suberror"] = "password_change_required"
    default: break
    }
    return HTTPResponseValue(
      status: status,
      headers: .known([
        ("Content-Type", MediaType.json), ("Cache-Control", "no-store, no-cache"), ("Pragma", "no-cache"),
      ]),
      body: body.serialized())
  }

  private static func status(_ error: PlatformSSOError) -> (Int, String) {
    switch error.code {
    case .methodNotAllowed: (405, "invalid_request")
    case .accountLocked, .passwordExpired, .passwordChangeRequired: (400, "invalid_grant")
    case .contentTypeInvalid: (415, "invalid_request")
    case .limitExceeded where error.name == "body": (413, "invalid_request")
    default:
      switch error.fault {
      case .credentialRejected: (401, "invalid_grant")
      case .malformedMessage: (400, "invalid_request")
      case .unsupported, .notAuthentic, .rejected: (400, "invalid_request")
      case .unavailable: (503, "temporarily_unavailable")
      case .callerMisuse: (500, "server_error")
      }
    }
  }
}
