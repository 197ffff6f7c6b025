import JOSE
import PureCrypto

extension TaintedOperations {
  static var all: [TaintedOperation] {
    secrets + encryption + chacha + derivation + curves + curve25519 + lattices + hpke + rsa + tokens + logins
      + keyFiles + checks + twins
  }

  /// Every rest of three octets, and for AVX2 a vector, two of them once and twice, and what is left to less.
  static let base64Lengths = [12] + Array(32...40) + [80, 124]

  // Comparison, storage, base64.

  private static var secrets: [TaintedOperation] {
    [
      TaintedOperation("constant-time.equal", decides: true, changes(37)) { secret in
        ConstantTime.equal(secret, [UInt8](repeating: 0, count: 37)) ? [1] : nil
      },
      TaintedOperation("secret-bytes.copy", octets(32)) { secret in
        SecretBytes(copying: secret).withBytes { $0.withUnsafeBytes { Array($0) } }
      },
      TaintedOperation("secret-bytes.random", octets(1)) { _ in
        SecretBytes.random(count: 33).withUnsafeBytes { Array($0) }
      },
      TaintedOperation("base64url.encode", base64Lengths.map { Secrets.octets(count: 6, length: $0)[5] }) { secret in
        Array(Base64URL.encode(secret).utf8)
      },
      TaintedOperation(
        "base64url.decode", decides: true,
        numbered: octets(5) + octets(33) + octets(124) + [44, 166].map { [UInt8](repeating: 0x3F, count: $0) }
      ) { secret, number in
        // The last secrets stand for text that is not legal. For others than secrets the error says what is wrong.
        if number >= 18 { return try Base64URL.decodeSecret(utf8: secret).withUnsafeBytes { Array($0) } }
        var text: [UInt8] = []
        Base64URL.append(secret, to: &text)
        return try Base64URL.decode(utf8: text)
      },
      TaintedOperation("base64.encode", octets(12) + octets(32) + octets(124)) { secret in
        Array(Base64.encode(secret).utf8)
      },
      TaintedOperation("base64.decode", octets(5) + octets(33) + octets(124)) { secret in
        // Without the padding, of which a text of base64 has as much as its length says.
        var (text, octets) = ([UInt8](repeating: 0, count: Base64Alphabet.encodedCount(secret.count)), secret)
        secret.withUnsafeBytes { secret in
          text.withUnsafeMutableBufferPointer { Base64Alphabet.standard.encode(secret, into: $0) }
        }
        let isLegal = octets.withUnsafeMutableBytes { octets in
          text.withUnsafeBytes { Base64Alphabet.standard.decode($0, into: octets) }
        }
        return isLegal ? octets : nil
      },
    ]
  }
}
