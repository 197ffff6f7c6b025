import JOSE

/// An access token whose status stands at an index of the issuer's list.
func issueAccessToken(for user: String, index: Int, key: SigningKey, now: NumericDate) throws -> String {
  let claims: JSONObject = [
    "iss": "https://login.example.com", "sub": .string(user), "aud": "api",
    "exp": .number(JSONNumber(Int64(now.secondsSince1970) + 3600)),
    "status": StatusReference(uri: "https://login.example.com/statuslists/1", index: index).claim,
  ]
  return try JWT.sign(claims, with: key, type: "at+jwt")
}

/// What the server at the list's address answers, made anew each minute.
func publishList(revoked: [Int], key: SigningKey) throws -> HTTPResponseValue {
  var list = try StatusList(bits: 1, count: 1 << 20)
  for index in revoked { try list.set(.invalid, at: index) }
  let token = try list.signed(
    for: "https://login.example.com/statuslists/1", timeToLive: .seconds(60), with: key)
  let headers = try HTTPHeaderFields([("Content-Type", StatusList.mediaType)])
  return HTTPResponseValue(status: 200, headers: headers, body: Array(token.utf8))
}

/// What an API verifies its tokens with. Make it once.
func accessTokenVerifier(send: @escaping HTTPTransport) -> RemoteJWTVerifier {
  let keys = RemoteKeySet(issuer: "https://login.example.com", transport: send)
  let lists = StatusLists(
    verifier: RemoteJWTVerifier(
      keys: keys, algorithms: [.es256], policy: JWTPolicy(issuer: .notChecked, audience: .notChecked)),
    transport: send)
  var policy = JWTPolicy(
    issuer: .anyOf(["https://login.example.com"]), audience: .anyOf(["api"]), type: .anyOf(["at+jwt"]))
  policy.status = .required(lists)
  return RemoteJWTVerifier(keys: keys, algorithms: [.es256], policy: policy)
}
