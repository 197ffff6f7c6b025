#if canImport(Glibc)
  import Glibc
  import Foundation

  /// A server on this machine that gives each connection the same octets, and keeps what it was asked.
  final class LocalServer: Sendable {
    let port: UInt16
    private let descriptor: Int32

    /// - Parameters:
    ///   - answer: the whole answer, headers included.
    ///   - staysSilent: whether it accepts connections and says nothing.
    init(answer: String, staysSilent: Bool = false) throws {
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
          guard connection >= 0 else { return }
          guard !staysSilent else { continue }
          var request = [UInt8](repeating: 0, count: 4096)
          _ = recv(connection, &request, request.count, 0)
          var rest = Array(answer.utf8)[...]
          while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
              send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { break }
            rest = rest.dropFirst(count)
          }
          close(connection)
        }
      }
      thread.start()
    }

    deinit {
      shutdown(descriptor, Int32(SHUT_RDWR))
      close(descriptor)
    }

    func url(_ path: String = "/") -> String { "http://127.0.0.1:\(port)\(path)" }
  }
#endif
