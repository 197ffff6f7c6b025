import JOSE

/// Sells tickets.
struct BoxOffice {
  /// The first one signs. The others have signed tickets that are still good.
  var keys = [JWK.generate(.es256, keyID: "2026-11")]

  func ticket(for guest: String, seat: String, clock: WallClock = .system) throws -> String {
    var claims = JWTClaims(
      issuer: "https://box-office.example.com", audience: "https://door.example.com", subject: guest,
      lifetime: .seconds(3600))
    claims.clock = clock
    try claims.set("seat", to: seat)
    return try JWT.sign(claims, with: SigningKey(keys[0]))
  }

  /// The public halves, for those who check tickets.
  var keySet: [UInt8] { JWKSet(keys).serialized() }
}

/// What a ticket says that the door wants to know.
struct Ticket: Decodable {
  let sub: String
  let seat: String
}

/// Lets guests in.
struct Door {
  var verifier: JWTVerifier

  init(keySet: [UInt8]) throws {
    verifier = JWTVerifier(
      keys: try JWKSet(parsing: keySet), algorithms: [.es256],
      issuer: "https://box-office.example.com", audience: "https://door.example.com")
  }

  func seat(on ticket: String) throws(JOSEError) -> String {
    try verifier.verify(ticket, as: Ticket.self).claims.seat
  }
}

extension Door {
  /// What the person at the door is told.
  func answer(to ticket: String) -> String {
    do {
      return "Seat \(try seat(on: ticket))"
    } catch {
      switch error.code {
      case .claimExpired: return "The show is over"
      case .signatureInvalid, .keyNotFound: return "This ticket is not ours"
      default: return "No ticket (\(error.code))"
      }
    }
  }
}

extension BoxOffice {
  /// Makes a new key the one that signs.
  mutating func change(to keyID: String) {
    keys.insert(.generate(.es256, keyID: keyID), at: 0)
  }
}

/// A letter that only the guest can read.
struct Letter {
  static func sealed(_ text: String, to guestKey: JWK) throws -> String {
    try JWE.encrypt(Array(text.utf8), to: EncryptionKey(guestKey, algorithm: .ecdhES))
  }

  static func opened(_ letter: String, by guestKey: JWK) throws -> String {
    let key = try DecryptionKey(guestKey, algorithm: .ecdhES)
    return String(decoding: try JWE.decrypt(letter, with: key, contentEncryption: [.a256gcm]).plaintext, as: UTF8.self)
  }
}
