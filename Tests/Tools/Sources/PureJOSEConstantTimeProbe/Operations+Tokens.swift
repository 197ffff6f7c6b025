import JOSE
import PureCrypto

extension Operations {
  static var tokens: [Operation] {
    [
      Operation("jws.hs256.sign with any key", secrets: { hmacSecrets(count: $0) }) { secret in
        let key = try SigningKey(secret: secret, algorithm: .hs256)
        return { consume(try? JWS.sign(message, with: key)) }
      },
      Operation("jws.hs256.verify with any key", secrets: { hmacSecrets(count: $0) }) { secret in
        let key = try SigningKey(secret: secret, algorithm: .hs256)
        let token = try JWS.sign(message, with: key)
        return { consume(try? JWS.verify(token, with: key.verificationKey)) }
      },
      // The secret is what a forger wants to learn: how much of the code is right.
      Operation("jws.hs256.verify of any wrong code", secrets: { differences(count: $0, length: 32) }) { secret in
        let key = try SigningKey(secret: [UInt8](repeating: 9, count: 32), algorithm: .hs256)
        let token = try JWS.sign(message, with: key)
        let segments = token.split(separator: ".")
        let code = zip(try Base64URL.decode(String(segments[2])), secret).map { $0 ^ $1 }
        let forged = "\(segments[0]).\(segments[1]).\(Base64URL.encode(code))"
        return { consume(try? JWS.verify(forged, with: key.verificationKey)) }
      },
      Operation("jwe.a128kw.decrypt with any key", secrets: { Secrets.octets(count: $0, length: 16) }) { secret in
        let jwk = JWK(.octets(SecretBytes(copying: secret)))
        let key = try DecryptionKey(jwk, algorithm: .a128kw)
        let token = try JWE.encrypt(message, to: key.encryptionKey, contentEncryption: .a128gcm)
        return { consume(try? JWE.decrypt(token, with: key, contentEncryption: [.a128gcm])) }
      },
    ]
  }

  /// Secrets that nobody takes for a key file by their first octet. That one looks like a file is declassified; which
  /// it then is, is looked up with what the Swift runtime keeps for the next, and the traces that follow differ.
  private static func hmacSecrets(count: Int) -> [[UInt8]] {
    Secrets.octets(count: count, length: 32).map { [$0[0] & 0x07] + $0.dropFirst() }
  }
}
