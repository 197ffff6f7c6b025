import Foundation
import OpenIDKit

extension OpenIDError: LocalizedError {
  /// The code and the reason, for `localizedDescription`. In English: it is for developers.
  public var errorDescription: String? { description }
}
