import PureCrypto
import StrictJSON

/// The payload of a JWS with several signatures, and the octets with which it enters each of them.
///
/// The signing input of a signature is made when it is verified: as many copies of a large payload as signatures would
/// be a gift to a sender.
struct SignedContent: Sendable {
  let payload: [UInt8]
  /// The payload as signed, if that is another text than the payload itself.
  private let encoded: [UInt8]?

  init(
    _ message: JSONView, detached: [UInt8]?, encoding: JWSPayloadEncoding, limits: Limits
  ) throws(JOSEError) {
    let text = try message.serializationText("payload")
    switch (text, detached) {
    case (nil, let detached?):
      self = try SignedContent(detached: detached, encoding: encoding, limits: limits)
    case (let text?, nil):
      payload = encoding == .unencoded ? text : try Base64URL.decode(utf8: text)
      encoded = encoding == .unencoded ? nil : text
    default: throw JOSEError(.malformed, "the payload must be in the message or given apart, not both", name: "payload")
    }
  }

  /// A payload that came by another way.
  init(
    detached payload: some Collection<UInt8>, encoding: JWSPayloadEncoding, limits: Limits
  ) throws(JOSEError) {
    guard payload.count <= limits.messageByteCount else {
      throw JOSEError(.limitExceeded, "the payload is too long", name: "messageByteCount")
    }
    self.payload = Array(payload)
    guard encoding == .base64url else {
      encoded = nil
      return
    }
    var text: [UInt8] = []
    Base64URL.append(payload, to: &text)
    encoded = text
  }

  /// How many octets of a signing input are not header.
  var byteCount: Int { (encoded ?? payload).count }

  /// `BASE64URL(header) . payload`, the payload encoded or as it is (RFC 7797 §3).
  func signingInput(header: [UInt8]) -> [UInt8] {
    let content = encoded ?? payload
    var input: [UInt8] = []
    input.reserveCapacity(header.count + 1 + content.count)
    input += header
    input.append(0x2E)
    input += content
    return input
  }
}
