"""Faults in JWE with HPKE and in tokens with selective disclosure: a name, a file, what stands there once, and what takes its place."""

PROCESSING = "../JOSE/SDJWT/ProcessedPayload.swift"
DISCLOSURE = "../JOSE/SDJWT/Disclosure.swift"
TOKEN = "../JOSE/SDJWT/SDJWT.swift"
ISSUE = "../JOSE/SDJWT/SDJWT+Issue.swift"
PRESENT = "../JOSE/SDJWT/SDJWT+Present.swift"
VERIFIER = "../JOSE/SDJWT/SDJWTVerifier.swift"

TWICE = "guard met.insert(digest).inserted else {"
CLAIM = 'guard verified.claims[name] == .string(expected) else {'

DISCLOSURES = [
    ("digest met twice", PROCESSING, TWICE, "guard met.insert(digest).inserted || true else {"),
    ("digest met twice without a disclosure", PROCESSING, TWICE, "guard met.insert(digest).inserted || places[digest] == nil else {"),
    ("disclosure that occurs twice", PROCESSING, "forKey: disclosure.digest(hash)) == nil else", "forKey: disclosure.digest(hash)) != place else"),
    ("disclosure that no digest names", PROCESSING, "guard paths.count == disclosures.count else", "guard paths.count <= disclosures.count else"),
    ("claim replaced", PROCESSING, "guard names.insert(WireName(name)).inserted else", "guard names.insert(WireName(name)).inserted || true else"),
    ("claim of the issuer's replaced", PROCESSING, "      names.insert(ownName)\n", ""),
    ("element for a member", PROCESSING, "guard disclosure.name == nil else", "guard disclosure.name == nil || true else"),
    ("further members beside a digest", PROCESSING, "guard object.count == 1, let digest", "guard object.count >= 1, let digest"),
    ("digest in an object that is no element", PROCESSING, 'guard object["..."] == nil else', 'guard object["..."] == nil || true else'),
    ("digests that are no strings", PROCESSING, "guard digests.count == elements.count else", "guard digests.count <= elements.count else"),
    ("no bound of depth", PROCESSING, "guard path.steps.count <= depthLimit else", "guard path.steps.count <= depthLimit || true else"),
    ("_sd_alg left", PROCESSING, '    payload["_sd_alg"] = nil\n', ""),
    ("another hash for SHA-256", DISCLOSURE, "orThrow: .claimInvalid) else { return .sha256 }", "orThrow: .claimInvalid) else { return .sha384 }"),
    ("reserved names disclosed", DISCLOSURE, "guard !SDJWT.reservedNames.contains(name) else", "guard !SDJWT.reservedNames.contains(name) || true else"),
    ("salt that is no text", DISCLOSURE, "elements.first?.stringValue != nil", "elements.first != nil"),
    ("salt of no octets", DISCLOSURE, "SystemRandom.bytes(count: 16)", "SystemRandom.bytes(count: 0)"),
    ("empty parts", TOKEN, "guard parts.dropLast().allSatisfy({ !$0.isEmpty }) else", "guard parts.dropLast().allSatisfy({ !$0.isEmpty }) || true else"),
    ("one disclosure more than may be", TOKEN, "guard disclosureCount <= limits.disclosureCount else", "guard disclosureCount <= limits.disclosureCount + 1 else"),
    ("digests in the order of claims", ISSUE, "digests.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.map", "digests.map"),
    ("credential that keeps what it must show", ISSUE, "guard !keepsOpen(path) else", "guard !keepsOpen(path) || true else"),
    ("parents left out", PRESENT, "paths.contains { own.contains($0) }", "paths.contains(own)"),
    ("bound again", PRESENT, 'guard !isBound else { throw JOSEError(.callerMisuse, "the token is bound already"', 'guard !isBound || true else { throw JOSEError(.callerMisuse, "the token is bound already"'),
    ("credential that discloses what it must show", VERIFIER, "processed.paths.first(where: SDJWT.keepsOpen)", "processed.paths.first(where: { _ in false })"),
    ("hash that is not accepted", VERIFIER, "guard hashes.contains(processed.hash) else", "guard hashes.contains(processed.hash) || true else"),
    ("no binding where it is required", VERIFIER, "guard token.isBound else {", "guard token.isBound || true else {"),
    ("binding where it is forbidden", VERIFIER, "guard !token.isBound else {", "guard !token.isBound || true else {"),
    ("proof for any audience", VERIFIER, CLAIM, CLAIM.replace(" else", ' || name == "aud" else')),
    ("proof for any nonce", VERIFIER, CLAIM, CLAIM.replace(" else", ' || name == "nonce" else')),
    ("proof for any presentation", VERIFIER, CLAIM, CLAIM.replace(" else", ' || name == "sd_hash" else')),
    ("proof of any type", VERIFIER, "type: .anyOf([SDJWT.keyBindingType])", "type: .notChecked"),
    ("proof of any age", VERIFIER, "maximumAge: requirement.maximumAge", "maximumAge: nil"),
]

SHAPE = "../JOSE/JWE/HPKE/ParsedJWE+HPKE.swift"
AGREEMENT = "../JOSE/JWE/HPKE/HPKEAgreement.swift"
PARSED = "../JOSE/JWE/ParsedJWE.swift"
MESSAGE = "../JOSE/JWE/JWE.swift"

HPKE = [
    ("enc where the suite encrypts", SHAPE, 'for name in ["enc", "ek"] where', 'for name in ["ek"] where'),
    ("ek where the suite encrypts", SHAPE, 'for name in ["enc", "ek"] where', 'for name in ["enc"] where'),
    ("psk_id that is not protected", SHAPE, 'for name in ["alg", "psk_id"] where', 'for name in ["alg"] where'),
    ("length of the content encryption key", SHAPE, "opened.count == byteCount else", "opened.count <= byteCount else"),
    ("vector where the suite encrypts", PARSED, "guard content.initializationVector.count == row?.initializationVectorByteCount ?? 0 else", "guard content.initializationVector.count == row?.initializationVectorByteCount ?? content.initializationVector.count else"),
    ("tag where the suite encrypts", PARSED, "guard content.authenticationTag.count == row?.authenticationTagByteCount ?? 0 else", "guard content.authenticationTag.count == row?.authenticationTagByteCount ?? content.authenticationTag.count else"),
    ("mode that the message chooses", AGREEMENT, "guard named == preSharedKey?.identifier else", "guard named == nil || named == preSharedKey?.identifier else"),
    ("short pre-shared key", AGREEMENT, "preSharedKey.key.count >= Self.minimumKeyByteCount", "preSharedKey.key.count >= 1"),
    ("pre-shared key without a name", AGREEMENT, "guard !preSharedKey.identifier.isEmpty else", "guard !preSharedKey.identifier.isEmpty || true else"),
    ("enc that is not in the info", AGREEMENT, "Array(contentEncryption.name.utf8) + [0xFF] + info", "[0xFF] + info"),
    ("recipient with ML-KEM beside a curve", MESSAGE, "guard !rows.contains(where: \\.hasLattice)", "guard !rows.contains(where: \\.hasLattice) || true"),
]

# What the tests are called that must notice.
GROUPS = [
    (r"JOSETests\.(SDJWT|KeyBinding)", DISCLOSURES),
    (r"JOSETests\.HPKETests|JOSETests\.UnwrapFailure|PureJOSEVectorTests\.VectorFile", HPKE),
]
