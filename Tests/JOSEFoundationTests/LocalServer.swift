#if canImport(Glibc)
  import Glibc
  import Foundation

  /// A server on this machine that gives each connection the same octets, one connection after the other.
  final class LocalServer: Sendable {
    let port: UInt16
    private let descriptor: Int32

    /// - Parameters:
    ///   - answer: the whole answer, headers included; nil to accept connections and say nothing.
    ///   - pause: microseconds between an octet and the next; 0 for all at once.
    convenience init(answer: String?, pause: UInt32 = 0) throws {
      try self.init(octets: answer.map { Array($0.utf8) }, pause: pause)
    }

    /// - Parameters:
    ///   - octets: the whole answer, of HTTP or of TLS; nil to accept connections and say nothing.
    ///   - pause: microseconds between an octet and the next; 0 for all at once.
    init(octets: [UInt8]?, pause: UInt32 = 0) throws {
      let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      var length = socklen_t(MemoryLayout<sockaddr_in>.size)
      let isListening = withUnsafeMutablePointer(to: &address) { address in
        address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
          bind(descriptor, address, length) == 0 && listen(descriptor, 8) == 0
            && getsockname(descriptor, address, &length) == 0
        }
      }
      guard isListening else { throw POSIXError(.EADDRNOTAVAIL) }
      self.descriptor = descriptor
      port = UInt16(bigEndian: address.sin_port)
      let thread = Thread {
        while true {
          let connection = accept(descriptor, nil, nil)
          guard connection >= 0 else { break }
          guard let octets else { continue }
          var request = [UInt8](repeating: 0, count: 4096)
          _ = recv(connection, &request, request.count, 0)
          var rest = octets[...]
          while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
              send(connection, $0.baseAddress, pause == 0 ? $0.count : 1, Int32(MSG_NOSIGNAL))
            }
            if pause > 0 { usleep(pause) }
            guard count > 0 else { break }
            rest = rest.dropFirst(count)
          }
          // To its end: whoever closes while octets are still coming takes back what was sent.
          shutdown(connection, Int32(SHUT_WR))
          var patience = timeval(tv_sec: 2, tv_usec: 0)
          setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
          while recv(connection, &request, request.count, 0) > 0 {}
          close(connection)
        }
        // Only here: a number closed elsewhere could be another server's before this thread asks for it again.
        close(descriptor)
      }
      thread.start()
    }

    deinit {
      shutdown(descriptor, Int32(SHUT_RDWR))
    }

    func url(_ path: String = "/") -> String { "http://127.0.0.1:\(port)\(path)" }
  }
#endif
