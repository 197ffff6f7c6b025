/// What one encoding shares among its encoders and containers.
///
/// All that changes is in one struct, so that each step makes a single access to the class.
final class EncodingArena {
  var draft = EncodingDraft()
  let userInfo: [CodingUserInfoKey: any Sendable]

  init(userInfo: [CodingUserInfoKey: any Sendable]) {
    self.userInfo = userInfo
  }
}
