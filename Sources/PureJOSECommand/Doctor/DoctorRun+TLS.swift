import JOSE

/// What a client offers for a connection with TLS, to see whether the server agrees.
enum TLSOffer: Sendable {
  /// TLS 1.0 and 1.1 alone, with whatever suite.
  case old
  /// What App Transport Security takes: TLS 1.2 or 1.3, ephemeral Diffie-Hellman, AES-GCM or ChaCha20-Poly1305.
  case transportSecurity

  /// Lines of a configuration for curl.
  var settings: [String] {
    switch self {
    // OpenSSL offers the old versions at this level alone.
    case .old: ["tlsv1.0", "tls-max = \"1.1\"", "ciphers = \"ALL:@SECLEVEL=0\""]
    case .transportSecurity: ["tlsv1.2", "ciphers = \"ECDHE+AESGCM:ECDHE+CHACHA20\""]
    }
  }
}

extension DoctorRun {
  /// Which connections the server agrees to. A server that is asked without TLS has no rows.
  mutating func transportSecurity() async {
    let source = "Apple, Preventing insecure network connections"
    if let agrees = await transport.agrees(to: .old) {
      record(
        "tls: 1.0 and 1.1", agrees ? .lenient : .right, agrees ? "a connection" : "refused",
        rule: "TLS 1.2 at least", source: source)
    }
    if let agrees = await transport.agrees(to: .transportSecurity) {
      record(
        "tls: suites of App Transport Security", agrees ? .right : .wrong, agrees ? "a connection" : "refused",
        rule: "TLS 1.2 or later with ECDHE and AES-GCM or ChaCha20-Poly1305: macOS 27 takes no other", source: source)
    }
  }
}
