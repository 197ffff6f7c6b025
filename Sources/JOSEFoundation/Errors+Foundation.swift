import Foundation
import JOSE
import PureCrypto
import StrictJSON

extension JOSEError: LocalizedError, CustomNSError {
  /// The code, the part concerned and the reason, for `localizedDescription`. In English: it is for developers.
  public var errorDescription: String? { description }

  /// The names of `code` and `name`, for what logs an `NSError`.
  public var errorUserInfo: [String: Any] {
    var info: [String: Any] = [NSLocalizedDescriptionKey: description, "code": code.description]
    info["name"] = name
    return info
  }
}

extension CryptoError: LocalizedError {
  /// The code and the reason, for `localizedDescription`.
  public var errorDescription: String? { description }
}

extension JSONError: LocalizedError {
  /// The code, the reason and the place, for `localizedDescription`.
  public var errorDescription: String? { description }
}
