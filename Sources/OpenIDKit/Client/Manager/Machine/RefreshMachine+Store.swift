/// Operations on the store: one runs at a time, in the order in which they come up.
extension RefreshMachine {
  /// What an operation is for.
  enum Purpose: Sendable {
    case load
    case refresh(Ticket, RefreshStep)
    case persist
    case logIn(Ticket, Moment)
    case logOut(Ticket, revoking: Revocation)
    case end(Ticket?, LogoutReason)
    case removeAgain
    case reload(Ticket)
  }

  /// Where a refresh goes on after an operation.
  enum RefreshStep: Sendable {
    case read
    case announce(TokenRecord)
    case keepUnjudged(Answer)
    case keep(RefreshFailure)
    case commit(TokenRecord, Answer)
    case adopt(RefreshFailure)
    case withdraw(TokenRecord, RefreshFailure)
    case refuse(LogoutReason)
  }

  struct StoreQueue: Sendable {
    var running: (operation: StoreOperation, purpose: Purpose, ticket: Ticket)?
    var waiting: [(operation: StoreOperation, purpose: Purpose)] = []

    func contains(where isWanted: (Purpose) -> Bool) -> Bool {
      if let running, isWanted(running.purpose) { return true }
      return waiting.contains { isWanted($0.purpose) }
    }
  }

  mutating func run(_ kind: StoreOperation.Kind, for purpose: Purpose) {
    operations.waiting.append((StoreOperation(kind), purpose))
    startOperation()
  }

  private mutating func startOperation() {
    guard operations.running == nil, !operations.waiting.isEmpty else { return }
    let (next, purpose) = operations.waiting.removeFirst()
    let id = ticket()
    operations.running = (next, purpose, id)
    effects.append(.ask(id, next.first))
  }

  mutating func advance(_ id: Ticket, _ answer: StoreOperation.Answer) {
    guard var current = operations.running, current.ticket == id else { return }
    switch current.operation.next(answer) {
    case .ask(let request):
      current.ticket = ticket()
      operations.running = current
      effects.append(.ask(current.ticket, request))
    case .done(let outcome):
      operations.running = nil
      conclude(current.purpose, outcome)
      startOperation()
    }
  }

  private mutating func conclude(_ purpose: Purpose, _ outcome: StoreOperation.Outcome) {
    switch purpose {
    case .load: concludeLoad(outcome)
    case .refresh(let id, let step): conclude(step, of: id, outcome)
    case .persist: concludePersist(outcome)
    case .logIn(let id, let moment): concludeLogIn(id, moment, outcome)
    case .logOut(let id, let revocation): concludeLogOut(id, revocation, outcome)
    case .end(let id, let reason): concludeEnd(id, reason, outcome)
    case .removeAgain: concludeRemoval(outcome)
    case .reload(let id): concludeReload(id, outcome)
    }
  }
}
