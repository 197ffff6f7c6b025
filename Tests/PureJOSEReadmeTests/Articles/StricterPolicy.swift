import JOSE

/// Access tokens as RFC 9068 has them, one minute of clock skew, at most an hour old.
func accessTokenVerifier(keys: JWKSet) -> JWTVerifier {
  let policy = JWTPolicy(
    issuer: .anyOf(["https://idp.example.com"]), audience: .anyOf(["https://api.example.com"]),
    type: .anyOf(["at+jwt"]), requiredClaims: ["exp", "sub", "client_id"], leeway: .seconds(60),
    maximumAge: .seconds(3600))
  return JWTVerifier(keys: keys, algorithms: [.es256], policy: policy)
}
