import JOSE

/// A form that a device posted. Each part of it is parsed once, and handed down.
struct PostedForm: Sendable {
  /// The request as it came.
  let request: HTTPRequestValue
  let fields: FormFields

  /// Checks method, content type and size, and reads the fields.
  init(
    _ request: HTTPRequestValue, configuration: IdentityProviderConfiguration
  ) throws(JOSEError) {
    self.request = request
    guard request.hasMethod("POST") else {
      throw JOSEError(.methodNotAllowed, "the request's method is not POST")
    }
    do throws(JOSEError) {
      // Fields that decide nothing may be repeated; the others are read by `only(_:)`.
      fields = try request.form(
        limits: Limits(formByteCount: configuration.maximumBodyByteCount), acceptsDuplicates: true)
    } catch {
      throw Self.error(error)
    }
  }

  /// The error of a form, which is said to be that of the body.
  static func error(_ error: JOSEError) -> JOSEError {
    guard error.code != .contentTypeInvalid else { return error }
    return JOSEError(
      error.code, "the body must be a form within the size limit, without duplicate fields", name: "body")
  }

  /// `client-request-id` under a rule, or an empty string if there is none and none is required.
  static func clientRequestID(
    _ request: HTTPRequestValue, rule: IdentityProviderConfiguration.ClientRequestIDRule
  ) throws(JOSEError) -> String {
    let values = request.headers.values("client-request-id")
    guard rule != .notChecked else { return values.first ?? "" }
    guard let value = values.first else {
      throw JOSEError(.fieldMissing, "the header field is absent", name: "client-request-id")
    }
    guard values.count == 1, (1...128).contains(value.utf8.count) else {
      throw JOSEError(.fieldInvalid, "there must be one identifier of 1 to 128 characters", name: "client-request-id")
    }
    return value
  }

  /// The value of a field that decides something, which must not be there twice; nil if it is absent.
  func only(_ name: String) throws(JOSEError) -> String? {
    do throws(JOSEError) {
      return try fields.uniqueValue(name)
    } catch {
      throw JOSEError(.fieldDuplicated, "the form has a duplicate field", name: name)
    }
  }

  /// Requires that a field is there once and has one of some values.
  func require(_ name: String, oneOf expected: [String]) throws(JOSEError) {
    guard let value = try only(name) else {
      throw JOSEError(.fieldMissing, "the form field is absent", name: name)
    }
    guard expected.contains(WireName(value)) else {
      throw JOSEError(.fieldInvalid, "the form field must have this request's value", name: name)
    }
  }

  /// Checks the fields that every signed request has beside the request itself.
  func checkSignedRequest(versions: [String], requiresFields: Bool) throws(JOSEError) {
    // Always this grant, whatever the claim in the request says.
    for (name, values) in [("grant_type", [GrantType.jwtBearer]), ("platform_sso_version", versions)] {
      if requiresFields || !fields.values(name).isEmpty { try require(name, oneOf: values) }
    }
  }

  /// Versions of login and refresh requests: Apple's table has `1`, its sample and every Mac `1.0`.
  static let tokenVersions = ["1.0", "1"]
  /// Version of key and key exchange requests.
  static let keyVersions = ["2.0"]

  /// Parses the one signed request in the form, which one of some fields carries.
  func signed(parameterNames: [String], limits: Limits) throws(JOSEError) -> SignedForm {
    var requests: [(name: String, token: String)] = []
    for name in parameterNames {
      if let value = try only(name) { requests.append((name, value)) }
    }
    guard let request = requests.first else {
      throw JOSEError(.fieldMissing, "the form has no signed request", name: parameterNames.first)
    }
    guard requests.count == 1 else {
      throw JOSEError(.fieldDuplicated, "the form has more than one signed request", name: parameterNames.first)
    }
    return SignedForm(
      form: self, parameterName: request.name, message: try UnverifiedJWS(parsing: request.token, limits: limits))
  }
}

/// A form with the signed request that was found and parsed in it. Nothing has been verified.
struct SignedForm: Sendable {
  let form: PostedForm
  /// The field that carries the request.
  let parameterName: String
  /// The request.
  let message: UnverifiedJWS

  /// Requires that the request is in one of some fields.
  func requireParameter(oneOf names: [String]) throws(JOSEError) {
    guard names.contains(WireName(parameterName)) else {
      throw JOSEError(.fieldMissing, "the form has no signed request", name: names.first)
    }
  }
}
