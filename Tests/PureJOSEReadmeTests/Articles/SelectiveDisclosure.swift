import JOSE

/// An employee's card. Name and birth date can be kept; the employer and the number can't.
func issueCard(for employee: JSONObject, holder: JWK, key: SigningKey, now: NumericDate) throws -> String {
  var claims = employee
  claims["iss"] = "https://hr.example.com"
  claims["vct"] = "https://hr.example.com/employee"
  claims["exp"] = .number(JSONNumber(Int64(now.secondsSince1970) + 90 * 86_400))
  let card = try SDJWT.issue(
    claims, disclosing: ["given_name", "birthdate", ["address", "street"]], decoys: 2, holder: holder, with: key,
    type: "dc+sd-jwt")
  return card.compact
}

/// Shows the name alone, to this verifier, now.
func show(_ card: String, to verifier: String, nonce: String, key: SigningKey) throws -> String {
  try SDJWT(parsing: card).presenting(["given_name"]).bound(to: verifier, nonce: nonce, with: key).compact
}

/// The claims that are shown, if the holder shows them to this shop for this nonce.
func verify(_ presentation: String, keys: JWKSet, nonce: String) throws -> JSONObject {
  let policy = JWTPolicy(
    issuer: .anyOf(["https://hr.example.com"]), audience: .notChecked, type: .anyOf(["dc+sd-jwt"]),
    requiredClaims: ["exp", "vct", "given_name"])
  let verifier = SDJWTVerifier(
    verifier: JWTVerifier(keys: keys, algorithms: [.es256], policy: policy),
    keyBinding: .required(audience: "https://shop.example.com", nonce: nonce))
  let verified: VerifiedSDJWT<JSONObject> = try verifier.verify(presentation)
  return verified.claims
}

/// What a shop verifies the cards of one employer with, whose keys it finds by the employer's metadata.
func cardVerifier(nonce: String, send: @escaping HTTPTransport) -> RemoteSDJWTVerifier {
  let issuer = "https://hr.example.com"
  let policy = JWTPolicy(issuer: .anyOf([issuer]), audience: .notChecked, type: .anyOf(["dc+sd-jwt"]))
  let keys = RemoteKeySet(issuer: issuer, metadata: .credential, transport: send)
  var verifier = RemoteSDJWTVerifier(
    verifier: RemoteJWTVerifier(keys: keys, algorithms: [.es256], policy: policy),
    keyBinding: .required(audience: "https://shop.example.com", nonce: nonce))
  verifier.credentialTypes = ["https://hr.example.com/employee"]
  return verifier
}

/// The first names on the cards of an answer, if they are what was asked for.
func firstNames(in answer: JSONObject, to query: String, verifier: RemoteSDJWTVerifier) async throws -> [JSONValue] {
  let query = try CredentialQuery(parsing: query.utf8)
  var names: [JSONValue] = []
  for (name, text) in try query.presentations(in: answer) {
    let card: VerifiedSDJWT<JSONObject> = try await verifier.verify(text)
    try query.require(card, for: name)
    if let firstName = card.claims["given_name"] { names.append(firstName) }
  }
  return names
}
