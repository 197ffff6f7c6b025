/// JSON Web Signature in compact serialization.
///
/// - ``sign(_:with:header:)`` makes a token, ``verify(_:with:understanding:limits:)-(String,VerificationKey,_,_)`` checks one.
/// - ``prepare(_:for:header:)`` serves a signer that answers later.
///
/// Source: RFC 7515.
public enum JWS {}
