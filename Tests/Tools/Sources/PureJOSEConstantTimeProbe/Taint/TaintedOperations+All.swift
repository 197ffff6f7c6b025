import JOSE
import PureCrypto

extension TaintedOperations {
  static var all: [TaintedOperation] {
    secrets + encryption + derivation + curves + curve25519 + lattices + rsa + tokens + logins + keyFiles + checks
      + twins
  }

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
      TaintedOperation("base64url.encode", (0..<9).map { Secrets.octets(count: 6, length: 32 + $0)[5] }) { secret in
        Array(Base64URL.encode(secret).utf8)
      },
      TaintedOperation("base64url.decode", decides: true, octets(33) + [[UInt8](repeating: 0x3F, count: 44)]) {
        secret in
        // The last secret stands for text that is not legal. For others than secrets the error says what is wrong.
        if secret.count == 44 { return try Base64URL.decodeSecret(utf8: secret).withUnsafeBytes { Array($0) } }
        var text: [UInt8] = []
        Base64URL.append(secret, to: &text)
        return try Base64URL.decode(utf8: text)
      },
      TaintedOperation("base64.encode", octets(32)) { secret in Array(Base64.encode(secret).utf8) },
    ]
  }
}
