import JOSE
import PlatformSSOKit

/// Nonces in a table.
actor NonceTable: ServerNonceStore {
  private struct Row {
    let binding: [UInt8]
    let madeAt: NumericDate
    var isUsed = false
  }

  private let takesAnyBinding: Bool
  private var rows: [[UInt8]: Row] = [:]

  init(takesAnyBinding: Bool = false) { self.takesAnyBinding = takesAnyBinding }

  func makeServerNonce(boundTo binding: String, at now: NumericDate) -> String {
    var generator = SystemRandomNumberGenerator()
    let nonce = "\(generator.next())-\(generator.next())-nonce"
    rows[Array(nonce.utf8)] = Row(binding: Array(binding.utf8), madeAt: now)
    return nonce
  }

  func useServerNonce(_ nonce: String, boundTo binding: String, at now: NumericDate) -> ServerNonceVerdict {
    let key = Array(nonce.utf8)
    guard let row = rows[key], takesAnyBinding || row.binding == Array(binding.utf8) else { return .unknown }
    if row.isUsed { return .used }
    guard now < row.madeAt.advanced(by: 300) else { return .expired }
    rows[key]?.isUsed = true
    return .accepted
  }
}
