import JOSE
import Testing

@Suite("The first hour")
struct FirstHourTests {
  @Test("a ticket lets in who has it, and nothing else does")
  func tickets() throws {
    let office = BoxOffice()
    let door = try Door(keySet: office.keySet)
    let ticket = try office.ticket(for: "jane", seat: "4F")
    #expect(door.answer(to: ticket) == "Seat 4F")
    #expect(door.answer(to: try BoxOffice().ticket(for: "jane", seat: "1A")) == "This ticket is not ours")
    #expect(door.answer(to: String(ticket.dropLast(3)) + "AAA") == "This ticket is not ours")
    #expect(door.answer(to: "ticket") == "No ticket (malformed)")
    let yesterday = WallClock.fixed(at: WallClock.system.now.advanced(by: -86_400))
    #expect(door.answer(to: try office.ticket(for: "jane", seat: "4F", clock: yesterday)) == "The show is over")
  }

  @Test("after a change of keys, old tickets and new ones are good")
  func changeOfKeys() throws {
    var office = BoxOffice()
    let old = try office.ticket(for: "jane", seat: "4F")
    office.change(to: "2026-12")
    let new = try office.ticket(for: "john", seat: "5F")
    let door = try Door(keySet: office.keySet)
    #expect(door.answer(to: old) == "Seat 4F" && door.answer(to: new) == "Seat 5F")
    office.keys.removeLast()
    #expect(try Door(keySet: office.keySet).answer(to: old) == "This ticket is not ours")
  }

  @Test("a letter is read by the guest alone")
  func letters() throws {
    let guest = JWK.generateForKeyAgreement(keyID: "jane")
    let letter = try Letter.sealed("See you at eight", to: #require(guest.publicKey))
    #expect(try Letter.opened(letter, by: guest) == "See you at eight")
    #expect(throws: JOSEError.self) { try Letter.opened(letter, by: .generateForKeyAgreement(keyID: "jane")) }
  }
}
