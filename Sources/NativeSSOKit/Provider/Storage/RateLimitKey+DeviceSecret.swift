import JOSE

extension RateLimitKey {
  /// A device secret, known or not.
  package static func deviceSecret(_ fingerprint: DeviceSecretFingerprint) -> RateLimitKey {
    RateLimitKey("d", fingerprint.hexadecimal)
  }
}
