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
