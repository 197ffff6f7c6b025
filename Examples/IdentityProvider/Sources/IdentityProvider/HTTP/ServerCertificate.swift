import Logging
import NIOSSL
import Synchronization

/// The certificate of a server that has TLS of its own. It can be read again: new connections then get the new one, and
/// existing ones go on.
package final class ServerCertificate: Sendable {
  private let files: (certificate: String, key: String)
  private let current: Mutex<TLSConfiguration>

  /// Reads a certificate with its chain and its key, both in PEM.
  ///
  /// - Throws: what NIOSSL throws.
  package init(certificate: String, key: String) throws {
    files = (certificate, key)
    current = Mutex(try Self.read(certificate, key))
  }

  /// The TLS configuration of the server: each connection asks for the certificate when it begins.
  package var configuration: TLSConfiguration {
    var configuration = current.withLock { $0 }
    configuration.sslContextCallback = { [self] _, promise in
      let now = current.withLock { $0 }
      var pair = NIOSSLContextConfigurationOverride()
      (pair.certificateChain, pair.privateKey) = (now.certificateChain, now.privateKey)
      promise.succeed(pair)
    }
    return configuration
  }

  /// Reads the files again. If that fails, the previous certificate stays, and the error is logged.
  package func reload(_ log: Logger) {
    do {
      let new = try Self.read(files.certificate, files.key)
      current.withLock { $0 = new }
      log.notice("the certificate was read again")
    } catch {
      log.error("the certificate can't be read again: the previous one stays in use", metadata: ["error": "\(error)"])
    }
  }

  private static func read(_ certificate: String, _ key: String) throws -> TLSConfiguration {
    var configuration = TLSConfiguration.makeServerConfiguration(
      certificateChain: try NIOSSLCertificate.fromPEMFile(certificate).map { .certificate($0) },
      privateKey: .privateKey(try NIOSSLPrivateKey(file: key, format: .pem)))
    configuration.minimumTLSVersion = .tlsv12
    // With another certificate's key, every handshake would fail.
    _ = try NIOSSLContext(configuration: configuration)
    return configuration
  }
}
