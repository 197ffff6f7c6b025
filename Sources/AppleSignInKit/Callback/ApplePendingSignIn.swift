import PureCrypto
import JOSE
import StrictJSON

/// What a server keeps between the authorization request and its response.
package struct ApplePendingSignIn: Sendable {
  /// `client_id` of the request.
  package var clientID: String
  /// `redirect_uri` of the request.
  package var redirectURI: AppleRedirectURI
  /// `response_type` of the request.
  package var responseType: AppleResponseType
  /// `response_mode` of the request.
  package var responseMode: AppleResponseMode
  /// `scope` of the request.
  package var scopes: Set<AppleScope>
  /// `state` of the request.
  package var state: String
  /// The nonce, if one was sent.
  package var nonce: AppleNonce?
  /// When the browser was sent away.
  package var startedAt: NumericDate

  /// The record of a sign-in that a store gives back.
  package init(
    clientID: String, redirectURI: AppleRedirectURI, responseType: AppleResponseType,
    responseMode: AppleResponseMode, scopes: Set<AppleScope>, state: String, nonce: AppleNonce?,
    startedAt: NumericDate
  ) {
    (self.clientID, self.redirectURI, self.responseType) = (clientID, redirectURI, responseType)
    (self.responseMode, self.scopes, self.state, self.nonce) = (responseMode, scopes, state, nonce)
    self.startedAt = startedAt
  }

  init(request: AppleAuthorizationRequest, startedAt: NumericDate) {
    self.init(
      clientID: request.clientID, redirectURI: request.redirectURI, responseType: request.responseType,
      responseMode: request.responseMode, scopes: request.scopes, state: request.state, nonce: request.nonce,
      startedAt: startedAt)
  }
}

extension ApplePendingSignIn: Redacted {}

extension ApplePendingSignIn {
  /// The sign-in as JSON, for stores that keep bytes. It holds `state` and the nonce: secrets, for ten minutes.
  ///
  /// A database needs a column of its own for the handle, and one for ``startedAt`` to remove what is too old.
  package func serialized() -> [UInt8] {
    var object: JSONObject = [
      "version": 1, "client": .string(clientID), "redirectURI": .string(redirectURI.text),
      "responseType": .string(responseType.rawValue), "responseMode": .string(responseMode.rawValue),
      "scopes": .array(AppleScope.allCases.filter(scopes.contains).map { .string($0.rawValue) }),
      "state": .string(state), "startedAt": JSONValue(startedAt),
    ]
    if let nonce { object["nonce"] = ["raw": .string(nonce.raw), "form": .string(nonce.form.rawValue)] }
    return object.serialized()
  }

  /// Reads a sign-in that ``serialized()`` wrote.
  ///
  /// - Throws: `ErrorCode.recordMalformed`.
  package init(parsing json: some Collection<UInt8>) throws(JOSEError) {
    guard let object = try? JSONObject(parsing: json), object["version"]?.int64Value == 1,
      let clientID = object["client"]?.stringValue,
      let redirectURI = object["redirectURI"]?.stringValue.flatMap({ try? AppleRedirectURI($0) }),
      let responseType = object["responseType"]?.stringValue.flatMap(AppleResponseType.init(rawValue:)),
      let responseMode = object["responseMode"]?.stringValue.flatMap(AppleResponseMode.init(rawValue:)),
      let names = object["scopes"]?.arrayValue?.map(\.stringValue), let state = object["state"]?.stringValue,
      let startedAt = object["startedAt"]?.doubleValue.flatMap(NumericDate.init(secondsSince1970:))
    else { throw Self.malformed }
    let scopes = names.map { $0.flatMap(AppleScope.init(rawValue:)) }
    guard !scopes.contains(nil) else { throw Self.malformed }
    self.init(
      clientID: clientID, redirectURI: redirectURI, responseType: responseType, responseMode: responseMode,
      scopes: Set(scopes.compactMap { $0 }), state: state, nonce: try Self.nonce(object["nonce"]),
      startedAt: startedAt)
  }

  /// A nonce that can't be read is not one that was never sent: the sign-in would go on without its check.
  private static func nonce(_ value: JSONValue?) throws(JOSEError) -> AppleNonce? {
    guard let value else { return nil }
    guard let raw = value.objectValue?["raw"]?.stringValue,
      let form = value.objectValue?["form"]?.stringValue.flatMap(AppleNonce.Form.init(rawValue:)),
      let nonce = try? AppleNonce(raw: raw, form: form)
    else { throw malformed }
    return nonce
  }

  private static var malformed: JOSEError {
    JOSEError(.recordMalformed, "the stored sign-in can't be read")
  }
}
