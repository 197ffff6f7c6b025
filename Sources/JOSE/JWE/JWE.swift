/// JSON Web Encryption in compact serialization.
///
/// - ``encrypt(_:to:contentEncryption:header:agreementPartyUInfo:agreementPartyVInfo:)`` makes a token.
/// - ``decrypt(_:with:contentEncryption:agreedParties:understanding:limits:)`` opens one.
/// - ``prepareDecryption(_:publicKey:contentEncryption:agreedParties:understanding:limits:)`` serves a key that answers later.
///
/// Decrypting proves nothing about the sender: everybody who has the public key can encrypt. That is why opening yields a
/// ``DecryptedJWE``, which nothing here takes for something verified.
/// Source: RFC 7516.
public enum JWE {}
