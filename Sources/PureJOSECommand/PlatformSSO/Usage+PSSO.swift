extension Usage {
  static let psso = """
    jose psso MESSAGE --config FILE

    A Mac's side. MAC is a device's configuration file. Requests are written, and responses read, as JSON (see below).

      jose psso nonce-request --config MAC
        Writes the request for a nonce of the server.
      jose psso preauthentication-request --config MAC
        Writes the request that asks how the user logs in.
      jose psso authorization-request --config MAC [< PREAUTHENTICATION-RESPONSE]
        The request that a browser opens, which the device signs where the preauthentication response names what. What the
        browser comes back with goes into login.callbackURL.
      jose psso login-request --config MAC [--nonce-request REQUEST] [--tokens OPENED] < NONCE-RESPONSE
      jose psso refresh-request --config MAC --tokens OPENED [--nonce-request REQUEST] < NONCE-RESPONSE
      jose psso key-request --config MAC --tokens OPENED [--nonce-request REQUEST] < NONCE-RESPONSE
      jose psso key-exchange-request --config MAC --tokens OPENED [--key-response OPENED] [--nonce-request REQUEST]
                < NONCE-RESPONSE
        Write a request. NONCE-RESPONSE is the provider's answer to the nonce request REQUEST, whose client-request-id the
        request repeats. OPENED is what open-response wrote: of a login or refresh response for --tokens (login-request sends
        its refresh token only if the configuration says so), of a key response for --key-response.
      jose psso open-response --config MAC --request REQUEST < RESPONSE
        Opens and checks the response to REQUEST, of any kind, and writes what is in it: tokens or keys, so keep it as such.
      jose psso curl < REQUEST
        Writes a request as a configuration of curl: jose psso curl < REQUEST | curl -si --config - > RESPONSE

    A provider's side. IDP is a provider's configuration file.

      jose psso check-request --config IDP < REQUEST
        Checks a request of any kind and writes what was found, without passwords and tokens.
      jose psso respond --config IDP < REQUEST
        Checks a request and writes the response, which for a refused one is an error of HTTP, with the reason on standard
        error and exit status 0. Nothing is remembered between runs: refresh tokens hold their grant, encrypted, and a server
        nonce is checked for origin and age, but not for being used twice.

      jose psso doctor ADDRESS|in-process --config MAC [--profile PROFILE] [--quick] [--patient] [--strict] [--all] [--json]
          [--attestation-root CERTIFICATE --attestation-key KEY]
          [--password-file FILE] [--html FILE] [--junit FILE] [--sarif FILE]
        Plays the Mac against a server: its whole day, then every request with one thing wrong, and in the forms that some Macs
        and extensions send. Writes what is lenient or wrong by its cause, the worst last: what came, what was wanted and who
        says so. Requests go to ADDRESS, with the paths of the configuration. Exit status 1 if something is wrong, with --strict
        also if something is lenient. Take a test user: some requests have wrong passwords. in-process examines this package's
        own provider and needs no MAC. PROFILE is the Mac's: team, extension and LoginFrequency are then compared, and where
        its ExtensionData has a RegistrationURL, a second Mac is registered there, which stays. --quick tries the login and
        what an attacker would send, --patient waits eleven minutes for a nonce that must be good no more. A server for tests
        may trust an authority of yours on P-256 in place of Apple's. --attestation-root and --attestation-key name it, beside
        a PROFILE with a RegistrationURL: then the second Mac's key is attested, and other Macs send attestations that must be
        refused. One more Mac stays, and each that was taken wrongly. --password-file has the password of an encrypted KEY.
        --all names every check; the other forms are for a page, for build servers and for code scanning.

      jose psso mac ADDRESS --user NAME --password-file FILE [--output MAC] < PROFILE
        Plays a Mac that is given the configuration profile PROFILE, against the server at ADDRESS: registers new keys, logs the
        user in with the password in the first line of FILE, enrols a key for the user and logs in with it, refreshes, and fetches
        and uses an unlock key. A line for each step; exit status 1 if one fails. With a TokenToUserMapping it says which account
        would be made of the user, and which claims for it the ID token lacks. --output writes the Mac's configuration, with its
        keys and the password. ExtensionData of the profile has LoginConfiguration, with the members of loginConfiguration below,
        RegistrationURL and UserRegistrationURL. Registrations are written as the product of its preset has them.
      jose psso mac ADDRESS --config MAC
        The same day of a Mac that was registered before.

      jose psso fleet ADDRESS --user NAME --password-file FILE [--macs COUNT] [--days COUNT] [--users COUNT] [--seed NUMBER]
          [--json] < PROFILE
        Lets many Macs (100) that are given PROFILE live some days (3) against a server: each registers and logs in, and then
        refreshes, fetches or uses an unlock key, or logs in anew. One answer in a hundred gets lost, and is asked for again.
        Says how long requests took, which were refused that were right, and which answers contradict each other; exit status 1
        if there are any. With {n} in NAME, Macs have one of COUNT users each, and the number of theirs stands there. The Macs
        stay registered.

      jose psso serve
        Says how the server is started that stands in Examples/PlatformSSOServer, a package of its own: a provider on a loopback
        port, whose state survives kill -9, and which shows each exchange.

    For administrators.

      jose psso profile --config MAC --extension ID --team TEAM [--method METHOD] [--form profile|declaration|association]
          [--application ID] [--identifier NAME] [--name TEXT] [--settings FILE]
        Writes the configuration profile com.apple.extensiblesso for a Mac's configuration, the declaration of the same
        settings, or the file apple-app-site-association. METHOD is Password, UserSecureEnclaveKey, SmartCard or OpenID.
        FILE is a JSON object with any other keys of the payload and of its PlatformSSO, such as RegistrationToken and
        LoginFrequency. Nothing is written that check-profile would refuse.
      jose psso check-profile [--config MAC] [--provider IDP] [--association RESPONSE [--application ID]] [--beside FILE] …
          [--fix NEW] < PROFILE
        Says what is wrong with a profile or a declaration in itself, and where it does not agree with the Mac's and the
        provider's configuration, and with the file apple-app-site-association: the file, or a server's answer with it. A
        profile may be binary, and signed: who signed it is not checked. FILE is another profile of the same Mac, with or
        without Platform SSO. --fix first mends what there is one way to mend, such as misspelled keys, says what it
        changed, and writes the file NEW, without a signature, if it changed anything. Exit status 1 if there is a fault.

    REQUEST is {"method": …, "url": …, "headers": {name: value}, "body": text}. RESPONSE is {"status": …, "headers": …, "body":
    …}, or what curl -i writes.

    MAC, a JSON object. KEY is a JWK, or the path of a file with a JWK or PEM; paths are relative to the configuration's folder.
    Unknown members are refused.

      loginConfiguration         clientID, issuer, audience, tokenEndpointURL and jwksEndpointURL; and any other property of
                                 LoginConfiguration by its name. A property that is not a number, text or true/false:
        custom…Values                   {name: text}
        custom…Claims                   {"header": {…}, "body": {…}, "type": typ}
        loginRequestEncryptionPublicKey KEY, or a file with base64 of the point or of SPKI
        isInvalidCredential             {member: value}: all must be so in the response; isFederated alike
        preset                          macOS, macOS13, entra, keycloak, authentik, fleet, twocanoes:
                                        options of a product, which the others here may change
        additionalHTTPHeaders           {name: value}
        acceptedKeyResponseTypes        [typ]
        kerberosTicketMappings          [{"ticketKeyPath": …, "messageBufferKeyName": …, …}]
      deviceSigningKey           KEY, private, on P-256
      deviceEncryptionKey        KEY, private, on P-256
      deviceSigningCertificate   path of a certificate in DER or PEM; requests then have x5c
      user                       {"loginUserName": …, "customAssertionRequestClaims": …, "customLoginRequestClaims": …}
      login                      {"method": "password", "password": …}
                                 {"method": "userSecureEnclaveKey", "key": KEY}
                                 {"method": "smartCard", "key": KEY, "certificate": path, "algorithm": …}
                                 {"method": "webAuthorization", "callbackURL": …, "state": …}
      groups                     names whose membership a login asks for
      identityProviderKeys       a JWK Set or its path: the keys for id_token
      otherKey                   KEY: the public key of key exchange requests

    IDP, a JSON object:

      identityProvider           issuer, clientIDs, audience and tokenEndpointURL; and any other property of
                                 IdentityProviderConfiguration by its name, but for limits and loginRequestDecryptionKeys.
        clientRequestID                 notChecked, required, boundToServerNonce
        preset                          macOS, macOS13, entra, keycloak, authentik, fleet, twocanoes
        assertionAudiences              [name], device or serialNumber; keyRequestAudiences and
                                        deviceClientIDs alike
        assertionPartyVInfo             sample, sampleOrTable, eitherNonce
        deviceSignatureAlgorithms       [ES256, ES384, Ed25519]
        requiredHTTPHeaders             {name: value}
      secret                     KEY, symmetric, of 32 octets or more (jose key generate --alg HS256)
      idTokenKey                 KEY, private: signs id_token
      loginRequestDecryptionKeys [KEY, …], private, on P-256: open encrypted passwords
      devices                    [{"id": …, "signingKey": KEY, "encryptionKey": KEY, "otherSigningKey", "otherEncryptionKey",
                                   "serialNumber", "udid", "tenant"}], the keys public; a file may also hold base64 of the
                                 point or of SPKI
      users                      [{"name": …, "subject": …, "password": …, "claims": {…},
                                   "keys": [{"device": id, "key": KEY}], "codes": […], "tenant",
                                   "smartCards": [{"certificate": path, "key": KEY, "algorithm": …}]}]
      authorizationURL           where users with codes log in by a browser; respond sends it back with the first code
      refreshTokenLifetime       seconds, 28800
      serverNonceLifetime        seconds, 300

    """
}
