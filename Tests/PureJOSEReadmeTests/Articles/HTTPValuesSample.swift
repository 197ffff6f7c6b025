import JOSE

/// What a server framework's request becomes, and what a form in it says.
func clientID(body: [UInt8]) throws -> String? {
  let request = HTTPRequestValue(
    method: "POST", url: "https://idp.example.com/token",
    headers: try HTTPHeaderFields([("Content-Type", "application/x-www-form-urlencoded")]), body: body)
  return try FormFields(decoding: request.body).values("client_id").first
}
