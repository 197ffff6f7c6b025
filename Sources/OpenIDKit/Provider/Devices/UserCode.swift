import JOSE
import PureCrypto

/// What a user types that a device shows: eight letters, between which a hyphen stands for the eyes.
///
/// Of 20 letters without vowels, so that no word comes of them: 34.5 bits, which is little. Guesses are counted,
/// ``UserCodeGuesses``. Time hides nothing of it: it stands on a screen, and an index of the store finds it.
///
/// Source: RFC 8628 §6.1.
struct UserCode: Sendable, Equatable {
  /// Eight letters of the alphabet, in lower case.
  private let letters: [UInt8]

  private static let alphabet = Array("bcdfghjklmnpqrstvwxz".utf8)
  private static let count = 8

  /// A fresh one.
  init(_ random: RandomSource) {
    var letters: [UInt8] = []
    while letters.count < Self.count {
      // 240 is the largest multiple of 20 that an octet holds: each letter is as likely as any other.
      letters += random.bytes(Self.count).filter { $0 < 240 }.map { Self.alphabet[Int($0 % 20)] }
    }
    self.letters = Array(letters.prefix(Self.count))
  }

  /// What a user has typed: upper or lower case, with whatever between the letters. Nil if it can be no code.
  init?(typed text: String) {
    guard text.utf8.count <= 64 else { return nil }
    letters = text.asciiLowercased.utf8.filter(Self.alphabet.contains)
    guard letters.count == Self.count else { return nil }
  }

  /// As it is shown: `BCDF-GHJK`.
  var text: String {
    let shown = letters.map { $0 & 0xDF }
    return String(decoding: shown.prefix(4) + [UInt8(ascii: "-")] + shown.suffix(4), as: UTF8.self)
  }

  /// What finds the device. A database that is read by a stranger shows no code at a glance.
  var index: StoredRecord.Index { .init("user-code", Array(SHA2.SHA256.hash(letters)), isUnique: true) }
}

extension UserCode: Redacted {}
