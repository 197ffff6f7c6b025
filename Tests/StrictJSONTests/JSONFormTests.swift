import Foundation
import Testing

@testable import StrictJSON

/// This module knows nothing of Foundation. Where nobody has given its types a form, they must be refused.
@Suite("Foreign types")
struct JSONFormTests {
  private enum Calendar {
    struct Date {}
  }

  @Test("Foundation's types need a form, and others don't")
  func names() {
    #expect(JSONFormMissing.concerns(Date.self, byteCount: MemoryLayout<Date>.size))
    #expect(JSONFormMissing.concerns(Data.self, byteCount: MemoryLayout<Data>.size))
    #expect(JSONFormMissing.concerns(URL.self, byteCount: MemoryLayout<URL>.size))
    #expect(JSONFormMissing.concerns(Decimal.self, byteCount: MemoryLayout<Decimal>.size))
    #expect(!JSONFormMissing.concerns(Calendar.Date.self, byteCount: 0))
    #expect(!JSONFormMissing.concerns(UUID.self, byteCount: MemoryLayout<UUID>.size))
    #expect(!JSONFormMissing.concerns([Data].self, byteCount: 8))
  }

  @Test("a place is named by plain words and positions")
  func places() {
    #expect(placeText([JSONCodingKey(stringValue: "a"), JSONCodingKey(position: 3)]) == "a/3")
    #expect(placeText([JSONCodingKey(stringValue: "a b"), JSONCodingKey(stringValue: "")]) == "?/?")
    #expect(placeText([]).isEmpty)
  }
}
