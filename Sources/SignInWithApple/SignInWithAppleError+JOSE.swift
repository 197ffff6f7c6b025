import JOSE

extension SignInWithAppleError {
  /// The error of a JOSE operation in this protocol's terms.
  init(_ error: JOSEError) {
    let code: Code
    let text: StaticString
    switch error.code {
    case .malformed: (code, text) = (.malformed, "not a compact token or not strict JSON")
    case .limitExceeded: (code, text) = (.limitExceeded, "the token is larger than the limits allow")
    case .headerInvalid: (code, text) = (.headerInvalid, "a header parameter breaks its specification")
    case .criticalHeaderUnsupported: (code, text) = (.headerInvalid, "a critical extension is not understood")
    case .typeMismatch: (code, text) = (.headerInvalid, "the token is of another type")
    case .algorithmNotAllowed: (code, text) = (.algorithmNotAllowed, "the algorithm is not one that is accepted")
    case .algorithmUnsupported: (code, text) = (.algorithmUnsupported, "the algorithm is not implemented")
    case .keyInvalid, .keyMismatch, .keyTooWeak: (code, text) = (.keyInvalid, "the key may not be used for this")
    case .keyNotFound: (code, text) = (.keyNotFound, "no key fits the token")
    case .signatureInvalid: (code, text) = (.signatureInvalid, "the signature does not verify")
    case .claimMissing: (code, text) = (.claimMissing, "a required claim is absent")
    case .claimInvalid: (code, text) = (.claimInvalid, "a claim has an illegal type or value")
    case .claimMismatch: (code, text) = (.claimMismatch, "a claim has another value than it must have")
    case .claimExpired: (code, text) = (.claimExpired, "the token has expired")
    case .claimNotYetValid: (code, text) = (.claimNotYetValid, "the token is not valid yet")
    case .externalKeyFailed: (code, text) = (.externalKeyFailed, "a key outside this process did not sign")
    default: (code, text) = (.callerMisuse, "the operation has no safe meaning")
    }
    self.init(code, text, name: error.name)
  }
}

/// Runs a JOSE operation and reports its error in this protocol's terms.
func reportingJOSE<Result>(_ body: () throws(JOSEError) -> Result) throws(SignInWithAppleError) -> Result {
  do throws(JOSEError) {
    return try body()
  } catch {
    throw SignInWithAppleError(error)
  }
}

/// Calls the caller's store and reports its errors in this protocol's terms.
func askingStore<Result: Sendable>(
  _ body: () async throws -> Result
) async throws(SignInWithAppleError) -> Result {
  do {
    return try await body()
  } catch {
    throw SignInWithAppleError(.storeUnavailable, "the store failed")
  }
}
