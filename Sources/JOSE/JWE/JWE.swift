/// JSON Web Encryption.
///
/// - ``encrypt(_:to:contentEncryption:header:agreementPartyUInfo:agreementPartyVInfo:)`` makes a token.
/// - ``decrypt(_:with:contentEncryption:agreedParties:understanding:limits:)`` opens one.
/// - ``prepareDecryption(_:contentEncryption:agreedParties:understanding:limits:)`` serves a key that answers later.
///
/// Decrypting proves nothing about the sender: everybody who has the public key can encrypt. That is why opening yields a
/// ``DecryptedJWE``, which nothing here takes for something verified.
///
/// `RSA1_5` is neither made nor opened: every observable difference between good and bad PKCS#1 v1.5 padding lets a stranger decrypt with about a
/// million messages (Bleichenbacher 1998), and layers above the padding have undone each defence below it (ROBOT 2017).
/// Source: RFC 7516.
public enum JWE {}
