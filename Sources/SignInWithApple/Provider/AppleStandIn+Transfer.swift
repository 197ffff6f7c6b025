import JOSEHTTP
import StrictJSON

/// The transfer of an app's users to another team. An app that changes teams is two clients of one identifier here, one of
/// each team, in two stand-ins that share their transfers, or in one.
extension AppleStandIn {
  func migrationToken(_ fields: FormBody, _ client: AppleStandInClient) -> HTTPResponseValue {
    guard fields["scope"]?.hasSameBytes(as: "user.migration") == true else { return Self.refusal("invalid_scope") }
    let token = "m" + random.token()
    migrationTokens[Array(token.utf8)] = client
    return Self.json(200, ["access_token": .string(token), "token_type": "Bearer", "expires_in": 3600])
  }

  /// Answers a request to the migration address, of the team that gives an app away or of the one that takes it.
  func migrate(_ request: HTTPRequestValue) -> HTTPResponseValue {
    guard let fields = try? FormBody.posted(by: request, limit: 64 * 1024) else {
      return Self.refusal("invalid_request")
    }
    guard let client = authenticatedClient(fields) else { return Self.refusal("invalid_client") }
    let bearer = request.headers.values("Authorization").first.map { $0.utf8 } ?? "".utf8
    guard bearer.starts(with: "Bearer ".utf8),
      let owner = migrationTokens[Array(bearer.dropFirst(7))], owner.clientID.hasSameBytes(as: client.clientID),
      owner.teamID.hasSameBytes(as: client.teamID)
    else { return Self.json(401, ["error": "invalid_token"]) }
    if let subject = fields["sub"], let team = fields["target"] { return leave(subject, team, client) }
    if let subject = fields["transfer_sub"] { return arrive(subject, client) }
    return Self.refusal("invalid_request")
  }

  private func leave(_ subject: String, _ team: String, _ client: AppleStandInClient) -> HTTPResponseValue {
    let known = refreshTokens.values.first {
      $0.client.teamID.hasSameBytes(as: client.teamID)
        && $0.user.subject(teamID: client.teamID).hasSameBytes(as: subject)
    }
    guard let user = known?.user else { return Self.refusal("invalid_request") }
    let name = "t" + user.subject(teamID: client.teamID + team)
    transfers[Array(name.utf8)] = Transfer(user: user, team: team, clientID: client.clientID)
    return Self.json(200, ["transfer_sub": .string(name)])
  }

  private func arrive(_ name: String, _ client: AppleStandInClient) -> HTTPResponseValue {
    guard let transfer = transfers[Array(name.utf8)], transfer.team.hasSameBytes(as: client.teamID) else {
      return Self.refusal("invalid_request")
    }
    let isRelay = transfer.user.hidesEmail
    return Self.json(
      200,
      [
        "sub": .string(transfer.user.subject(teamID: client.teamID)),
        "email": .string(transfer.user.sharedAddress(teamID: client.teamID, isRelay: isRelay)),
        "is_private_email": .bool(isRelay),
      ])
  }
}
