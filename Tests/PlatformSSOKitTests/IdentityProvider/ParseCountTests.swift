#if DEBUG
  import JOSE
  import PlatformSSOKit
  import Testing

  /// Anyone can send a request, so none of its parts is read twice.
  @Suite("How often a request is taken apart")
  struct ParseCountTests {
    /// Forms, compact tokens, and JSON texts of headers and claims.
    private func counted(_ body: () async throws -> Void) async rethrows -> [Int] {
      let count = ParseCount()
      try await ParseCount.$current.withValue(count) { try await body() }
      return [count[.form], count[.compact], count[.json]]
    }

    /// Asked when a request has been checked. It refuses, so that no answer's own tokens are counted.
    private struct NoAnswers: IdentityProviderAnswers {
      func tokens(for request: TokenEndpointRequest, by provider: IdentityProvider) async throws -> LoginResponse? {
        nil
      }
    }

    @Test("a request is one form with one token, and an assertion within it another")
    func requests() async throws {
      var fixture = try Fixture()
      let userKey = try VectorKeys.signing("user-secure-enclave")
      try await fixture.store.enroll(RegisteredKey(x963Representation: VectorKeys.point("user-secure-enclave")))
      func answer(_ request: DeviceRequest) async -> [Int] {
        let provider = fixture.provider
        return await counted {
          await #expect(throws: JOSEError(.accountLocked, "", name: "sub")) {
            try await provider.response(to: request.httpRequest, with: NoAnswers())
          }
        }
      }
      #expect(try await answer(fixture.refreshRequest()) == [1, 1, 2])
      fixture = try LoginRequestTests.encrypting(fixture)
      for method in [LoginMethod.userSecureEnclaveKey(userKey), .password("correct horse")] {
        let login = try fixture.device.loginRequest(of: LoginRequestTests.user, by: method, nonces: fixture.nonces())
        #expect(await answer(login) == [1, 2, 4])
      }
    }
  }
#endif
