import Foundation
import InMemoryLogging
import Logging
import NIOCore
import NIOEmbedded
import NIOSSL
import Testing

@testable import IdentityProvider

/// The certificate of a server that has TLS of its own.
@Suite struct CertificateTests {
  /// A client and a server, with what is between them.
  private struct Connection {
    let client = EmbeddedChannel()
    let server = EmbeddedChannel()

    init(_ context: NIOSSLContext) throws {
      var trusting = TLSConfiguration.makeClientConfiguration()
      trusting.certificateVerification = .none
      let other = try NIOSSLContext(configuration: trusting)
      try server.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
      try client.pipeline.syncOperations.addHandler(NIOSSLClientHandler(context: other, serverHostname: "localhost"))
      for channel in [server, client] {
        try channel.connect(to: SocketAddress(ipAddress: "192.0.2.1", port: 443)).wait()
      }
      try carry()
    }

    /// Carries octets until there are none.
    func carry() throws {
      var isBusy = true
      while isBusy {
        isBusy = false
        for (from, to) in [(client, server), (server, client)] {
          from.embeddedEventLoop.run()
          while let octets = try from.readOutbound(as: ByteBuffer.self) {
            try to.writeInbound(octets)
            isBusy = true
          }
        }
      }
    }

    /// Which of the certificates the client has seen.
    var certificate: Int? {
      get throws {
        let seen = try client.pipeline.syncOperations.nioSSL_peerCertificate()
        return try pairs.firstIndex { try NIOSSLCertificate.fromPEMBytes(Array($0.certificate.utf8)).first == seen }
      }
    }
  }

  @Test func `a new certificate is read while connections are open, and one that can't be read leaves the old one`()
    throws
  {
    let folder = NSTemporaryDirectory() + "idp-certificate-" + RandomText.make(byteCount: 8)
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    func write(_ certificate: String, _ key: String) throws {
      try Data(certificate.utf8).write(to: URL(fileURLWithPath: folder + "/certificate.pem"))
      try Data(key.utf8).write(to: URL(fileURLWithPath: folder + "/key.pem"))
    }
    let lines = InMemoryLogHandler()
    let log = Logger(label: "test", factory: { _ in lines })
    try write(pairs[0].certificate, pairs[1].key)
    #expect(throws: (any Error).self) {
      try ServerCertificate(certificate: folder + "/certificate.pem", key: folder + "/key.pem")
    }
    try write(pairs[0].certificate, pairs[0].key)
    let served = try ServerCertificate(certificate: folder + "/certificate.pem", key: folder + "/key.pem")
    let context = try NIOSSLContext(configuration: served.configuration)
    let first = try Connection(context)
    #expect(try first.certificate == 0)

    try write(pairs[1].certificate, pairs[1].key)
    served.reload(log)
    #expect(try Connection(context).certificate == 1)
    try first.client.writeOutbound(ByteBuffer(string: "still here"))
    try first.carry()
    #expect(try first.server.readInbound(as: ByteBuffer.self) == ByteBuffer(string: "still here"))

    for (certificate, key) in [("", pairs[0].key), (pairs[0].certificate, "x"), (pairs[0].certificate, pairs[1].key)] {
      let before = lines.entries.filter { $0.level == .error }.count
      try write(certificate, key)
      served.reload(log)
      #expect(lines.entries.filter { $0.level == .error }.count == before + 1)
      #expect(try Connection(context).certificate == 1)
    }
  }
}

/// Two certificates for localhost that sign themselves, each with its key.
private let pairs: [(certificate: String, key: String)] = [
  (
    """
    -----BEGIN CERTIFICATE-----
    MIIBfjCCASWgAwIBAgIUU1CI8L4cuhUxin9XDqNE8CPauIwwCgYIKoZIzj0EAwIw
    FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyNzEzNTMzM1oYDzIxMjYxMTAz
    MTM1MzMzWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
    PQMBBwNCAAT5EmLdlZ9C+DjH0ED/YICq57cZLq0KY/1dUgogsf5hjQkAJRX/bjc3
    VpwI+0sWF6wMd8xxh106gVo5ez3IAcgho1MwUTAdBgNVHQ4EFgQUHRNEHt/forMm
    Rqa/quLB7kSd4YswHwYDVR0jBBgwFoAUHRNEHt/forMmRqa/quLB7kSd4YswDwYD
    VR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNHADBEAiBh5ot+AdrQu3wvuI7E2E7M
    kncexK/QhxpepLmGMKroEQIgW1RwTKmwFF4PYkGXOlruDKmFWZfPJtHI/5DRor43
    2eg=
    -----END CERTIFICATE-----
    """,
    """
    -----BEGIN PRIVATE KEY-----
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgNxRMFqTWnr6xGdJL
    Fzl5Lcg//i3SLfiPs02unl6+Jy+hRANCAAT5EmLdlZ9C+DjH0ED/YICq57cZLq0K
    Y/1dUgogsf5hjQkAJRX/bjc3VpwI+0sWF6wMd8xxh106gVo5ez3IAcgh
    -----END PRIVATE KEY-----
    """
  ),
  (
    """
    -----BEGIN CERTIFICATE-----
    MIIBgDCCASWgAwIBAgIUV8TdojLGTnvZrUnu23g+DSod3pgwCgYIKoZIzj0EAwIw
    FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyNzEzNTMzM1oYDzIxMjYxMTAz
    MTM1MzMzWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
    PQMBBwNCAAQBfpANJseiUC7HWZRL0baPHmNUQb5YLCH1zuKNWN9Du5i379qGW83T
    XnFVzt0CFkk4CsqmLNLu9aua3vVVlCcUo1MwUTAdBgNVHQ4EFgQUuBXe24+MaOUS
    aXxMP8yNnM/P7kYwHwYDVR0jBBgwFoAUuBXe24+MaOUSaXxMP8yNnM/P7kYwDwYD
    VR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNJADBGAiEArnv+tR+O01CyKtUtMFVF
    m+PElxCdHcJwqSywxMoTRx4CIQCH0RBokurXGfposPRHc9eQVimOQ054KcVtiIh3
    rUPz1w==
    -----END CERTIFICATE-----
    """,
    """
    -----BEGIN PRIVATE KEY-----
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgtaG7jbQ5vE9IWOVk
    56LBDp+/I+MSTOgzpmUgojyiU6+hRANCAAQBfpANJseiUC7HWZRL0baPHmNUQb5Y
    LCH1zuKNWN9Du5i379qGW83TXnFVzt0CFkk4CsqmLNLu9aua3vVVlCcU
    -----END PRIVATE KEY-----
    """
  ),
]
