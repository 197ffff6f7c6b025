import PureCrypto

/// Private keys of 2048 bits, made for this probe and used for nothing else.
enum RSATestKeys {
  static let all = texts.map { text in
    // Names and values, with colons and commas between.
    let parts = text.split(separator: "\"")
    func number(_ name: String) -> [UInt8] {
      guard let place = parts.firstIndex(where: { $0 == name }) else { return [] }
      let characters = Array(parts[place + 2].utf8)
      var octets = [UInt8](repeating: 0, count: characters.count * 3 / 4)
      let isLegal = octets.withUnsafeMutableBytes { octets in
        characters.withUnsafeBytes { Base64Alphabet.url.decode($0, into: octets, backend: .portable) }
      }
      return isLegal ? octets : []
    }
    func secret(_ name: String) -> SecretBytes { SecretBytes(copying: number(name)) }
    guard let publicKey = try? AnyRSAPublicKey(modulus: number("n"), exponent: number("e")),
      let key = try? AnyRSAPrivateKey(
        publicKey: publicKey, d: secret("d"), p: secret("p"), q: secret("q"), dp: secret("dp"), dq: secret("dq"),
        qi: secret("qi"))
    else { fatalError("no key") }
    return key
  }

  private static let texts = [
    """
    {"kty":"RSA","n":"r6cVlWobYHBTYsQTr-yLRNYCbEJ6bLztUypcxtr92O7-BGQHxfddVIS31bqONamiqfNqoAn3KBrCTXwjqzae2DKyZAMP\
    S9yp6aPJsKkPP9rYS9dLe1igu58xoDNco7rKC-ZHKQsnE2I9b0v_LMXV6doE5o7xHeXorU3lEMbcmxfGDbDqnAqbPORV3JJkaWnomkHkL2xUXZ\
    9_zPH2dqr-oiqNkFXlDH-urRuIRuC0J0c0W3J_BuJPTE9yhArWHYNR0iMn37OiIIZLcZylvaS4399fmDmdP5S2Ghndo75YMwJ5_UQcn4KXwg7t\
    q91_m8M1GjnpCLK_IgHLeXAwdpCu7w","e":"AQAB","d":"Drm6Vf3WELYp-hgyXFJqHy8Kd0qgGniWNB1-N0-JmMOkY6LX11FUWi8MKFdM77\
    5qZsauKX-HCwN_RuFW2NYp5-RhedVF1YLIyHpU1hdo3LNl5FRxaARMk_NrGiE5gs0N04SOclLp3OFPVtgaADC6V7H8LNtOkcaXRIbIuCjWZWFW\
    Tf8kWGawvjX-Iloy6GpHGpZaHwxltjDxGy6UJY9b6gZKpb5T8Yvdqe7g0vHM4Uxf0_-M3osYISMTKZNO-m8P2i_QTRZtDJE5QccbOeBcl_Zvsu\
    pHyHFvSiotFXS3HOMF0Ml8QUrIlXzAXIO7GChD0piTmDTgxyreA9eDtRB-wQ","p":"6D3IVkslqdwTGzP1zuvHPQEk9kb3S8qjJCumm1pUIVT\
    kFNnKyI7rUtKItPhAY9xkap4XUNY40fEZgdci55iZvLP4BjuVF6fGClnyGds9kmUF8xCQOJ48syXtS6FK81rqwKRly1vZbxk9MR6LNN8_rsnez\
    GKQjKYdULVRgEf5AsE","q":"wZ9KDDPdMZMy3EHC4W1lb50NZU_hok9Qqk64OZw79QYpc1BukC8Hig_eTBDl02nmAUVrOxO0fljpB3QLyq8oF\
    X2cP7EN6G45LxVduhGHkPMYAEgLjS5AiEvCLsOchLnMuFqt6z9XWBCb-RzsLJg_B_h5k3narL8tLq61Sc80Da8","dp":"QU9OjWXom5H2FYpR\
    L_WCPBecS129oaTEqCFWYw3N5um2kl6E9k2qw8nNBAdkJDEQVCNNL0BvDisdHzRe7n4tjbGWqDoNPW_C85pDyR2sfQTH3Yjk5ecp7r9VshUTvM\
    fuiGoy7jNQPDv-x1dtklrNz9uZOiTlvYfhapby6n5S-oE","dq":"PQvy9cv4ZqQJeiaFwjuSqtEyowm_k0Q8o6W0Mf3PbZ6mvQPUCEO7tczxA\
    rylKbYO3cG8YGEDHH794eq1uQ7mrXfwJqi1QN5Xyz-KUJssSghLPfN5KOc3U4HHVKU6GSLXqBx3D1_mMw7xjmaPFDRgUywFcPkPeD3CiiBtajs\
    ZJ2M","qi":"umCI-bUQ5CUVmfU2seK4gI1eRt0hBKreu3t2I2d236cDLzCaBoK3thh486dKAreQ4KSzE306m_o33q7OUSxMD7wsQ12ExztYTt\
    hUeT12Ohxhl17UbqHj1VrcOzIIWJbs2kqt6A831Idai_yK0y4me7mVCJwTFfOkecKRRaeuOl8"}
    """,
    """
    {"kty":"RSA","n":"pqxaPkOyEl44Fi6vah3z5rUkPNvLZwHXFmzPhVieATLSYrD9QAKPt-guVsvFilMi2voQvhobo3yX9LQJxJqrd9QT1OPr\
    d2bERZB1jtRplZ7rKHROJcidL_I9foAm0wxHGSkm0RcDH9GNtDJAXeh3ftuqkWkcxHJ2EqvV-DlmBl6D51ozwSKg39qQ570oJfVDbK3OucN-Iz\
    S0RrY4514RGcN5iXKXy0SR1-uMAWUTar-KEXK_o85i5Vkz3oTaJnYRByomRNf5HYE9FpZw9vfEOYUYjTmS6LzRqUAv9sLDn4XxXmhm3b7aprmM\
    _8HNeHqV9znvyJytOwZzsdwhzzGTFQ","e":"AQAB","d":"E0cD-QejZPR40Df-Gev09c4lrtRNJlDUK8fSCL5DKChUpQ2LfQfOz5qPIYLYCj\
    OraGBb52DlqXcTrD3Wk2LASk_BK3JhHaJJOTKIJkjzHVcQI9Gv6DbX11_RNPxlgSt-Xa6gyrY6qkd2eE0HnNTyXT3S8JaTuTTz6xzs1pTs8_dy\
    tg6vnybhfQtaYN1GYPAx0iJmM_ukspKyvm1j2fpbeHCH22LC_aO14bwnBWROH2r627ETalom7BeOXD4yQzjVxxAHKU2Q0a_9zug1Lapye8OsFR\
    tFKiC2IcCjD7wBLdzpi9T8RujafejfsPDSdAxzk8ZJYNWraywUuRbpKnKFUQ","p":"2p0Iri6uHCNN2YObj8kZhG_RAakWZaRoYZypzRPmxAA\
    lIMy9_b3PG67GjTPF4VYBiSZzy6ToDUADAvVgWq1OLKTf3gfw_QZTUZj_TNUdy6hTMskNARbB81dsx0DTTV5ChSbG5HKE4bvNspsMY3fIZJh8P\
    rnyQTJ6fNyFuOi6JiM","q":"wy1ciunpFOHxHAcQdsj6_omfDWx6Af7AQVWcfN54EBQ2_bANrrVJkp3LrHrVP7wVmgW_Facr_8lSmIiIYbR96\
    YVaawv5a7O5WisdsLM5NL5gx51KFACGATmvlQIotdIDAO3I8-ZkeqXpGOE_F_jlz447BLWJc29ecQ1pyXIHCWc","dp":"YTg-uP-HbHoCz_2o\
    O6xqDayQXVWt4SvZQ7ehB9OW54lM-aYzw9kadqwmHntsv8Y4zp5sFp9SlznlXPZ0kD7MKix0ZlBPyqZ6fSo2Nxv7sSs9PLOOdfKB9E7n0ECy95\
    A4svBIuSV4lM6pLomnW8DUPHBXqKmW44moUUjcqxvMVNM","dq":"P1nB5_T0iqqrsAU6-tNRZL0WuyyyjWM60_oNyRoMrmthTgaO6l49ezFso\
    pdcEEvkVxH2a_jO9z9JZ-kpG02ScPGv338LfkHfr7y-7lO-BbilgSU0njltRYiLzTneLOX1w59q0n-9rXGcr06tRAKt1Si9T1H9Q1KqvNc1twU\
    j85E","qi":"CUBgwiBwyTexjKth_ADBcEJpJICTpw7sNdzh6E8PPK7hW9BVXMMEL1pfCapHkPC_vfxtlax-bEyEs83CBv7B1RYQPW6dCg9OqP\
    ODThz0sPjDHQONxCBYH6U9Ptq-Qmsjo767eh7RNZ1PO-o-X730o-nciI85uqf5cx70ZnvpKvs"}
    """,
    """
    {"kty":"RSA","n":"tc93066Jou-_YVeUb5mG0e88n9Rc42gigqYZcpMpqhF2eXESNhzmf1le0tMFYh5uWSb8thzfza25-zPk5pFl5J5nEXLk\
    lnUd4OWxXs5eKhJIP-fjj4oyzNMncobk9e9K2ophomOhqBUCpTEovtXNHhPPl5nWirgvIh3fW8mG5Lzi143mvo7QVduO85Ms6cKEJUVXonSMui\
    NK0iuGQk5ryY7IxJScwYi3jkM8p7Uq7Ub_gZkOOqoTn6Ipn8tef7qjakLuVcMf8oEqNrQgRwqfW5JGvqG_ewGZvK9E7TfL7Xv09ptKGQGyPEaQ\
    GxOqGQIjwsCVD_HSdZY40xUH94kCsw","e":"AQAB","d":"MESHRHym78oEnhw5PTOeNmf0SV6A1qLT3qmoQeHOAuel83HQautbSl34rbH2UO\
    lRVHvkRZj-1cUUhhtt3sSlL3_aTyiYhVVMfGOeplPVbgfyhHzUzkvbVsOMSnyDlsNTtRdd-lXHGi-Rxzd44Mk0LpMF3vKpoaRqZv1VSjIDjQAh\
    7xP1ADQ1m4yMs5QEqTgWLuaW7SB1s9lUQCWuTBnt9YLZzHx_H8PRRpfAKO_z_irZx9x6wKMJNwSDbGAOANKgVX8tiqPk6uu7DwnKZ3bJWVkzt2\
    ClOjzDSssHTF-ZbRjwMfJ4S0IXGxrwMLv1f_0u3VahbbOn_XaAps9qtRLdyQ","p":"4itGynSkQN0wx4rJm4YgTRuJUkBs03zLmBY9clYLGwI\
    xRnmPA0duR_gs02_KBpGLErZtfjbITELbPGbDHW3K1o0cruGSNyYAZ_1yWw85cmO0FoIVY_O5X5uZSkDhYTsjjPuyLAplPvPPn-HD1iODGacTW\
    S1TzBgZKBQQL4vX7Gc","q":"zcpl3EwiiIe3eRZpIde904fn7bpR9KXs80o134RDwY0aR0l4_QoPl2jfYt3mVO0Aro9P1kU2hBOrczhc9ER34\
    gyqnB9CJTcT8-ZZPyFYxyYeeIAqiInqfo2yNKc0PYQYcTyRL6EE-DdwwR24ymGZ1bwxjkafpduPqV1VxtSxh9U","dp":"UoKhR9j312YalqGO\
    XXu4KwlBts0kJp-fkvOCJUU4tfi9y00rnHGhzQXALL7awDy2tPPyzBnmRtQZMVb4FbNpTY6biT1n31Cw0z9GSewq9A1ltNRuQ1G2LigQ62LyFk\
    vB83wbiy-bsjS2aUiu7l90Q5aNW3pK2OltvA5dvUrSUj8","dq":"eLBBqsAP5KhLZr1I7Osczci_sUD7PZJt84TLMYndPs7k4Xfqd-QFntOHZ\
    vEiWx4fr0AnH0-6GB19CHa-tRbOhAjPqf3_CdpSXlDyeD6zVSA68Iqh5y-TEaNCJvUEgytMNmTB9P_m7Td-bhNjQ3WYBax4F6u9h0TL7RTq8E_\
    eyf0","qi":"jRHfPTWTkFWNty708jAgwUOMblIJHC_clKmp4wWA1uK3wHaPcewosBw3_bQmqMHADCtoNc2XzT2_papxf7PoE1G3aa5lsMAkoa\
    G024nvViqp_hivOzO-Ph5GqedqHJLPRgm4YTNDW0KyqEChH1xiDpwwm2wGRxaJHlFz02MEH3k"}
    """,
  ]
}
