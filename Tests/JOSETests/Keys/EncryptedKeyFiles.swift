/// One key on P-256, encrypted by others with the password "correct horse Å".
enum EncryptedKeyFiles {
  static let password = Array("correct horse Å".utf8)
  static let thumbprint = "6aaQwHt9kXZJ7AVmFG0AX9PukF4xYzB-OgiIywnx3xU"

  /// Names, and the base64 of `ENCRYPTED PRIVATE KEY`. From OpenSSL 3.0.19,
  /// `openssl pkcs8 -topk8 -v2 CIPHER -v2prf FUNCTION -iter 1000`, and from Python's cryptography.
  static let all: [(name: String, base64: String)] = [
    (
      "hmacWithSHA1, aes-128-cbc",
      """
      MIHeMEkGCSqGSIb3DQEFDTA8MBsGCSqGSIb3DQEFDDAOBAhmxrnMZQRnDAICA+gwHQYJYIZIAWUDBAECBBAH/K0men6S6jDO0bok\
      3QS4BIGQrcnkmiAL0m2BF5oAIyogMSwueNw+f62ndEHg8SM6q2fCcy97Hajnx3r0USPtcjH7bVOJxEfdPOxk8EJKXM+jHoWUzw9b\
      I0yHsyJArlj/0kmBdlhQIIuHNCdh65BUj6arVCbuaC77SL6275xe0MNEG8WVmabCON1OBqueNrjtlEhKx198kmgTDxvdyDUTUKJr
      """
    ),
    (
      "hmacWithSHA1, aes-192-cbc",
      """
      MIHeMEkGCSqGSIb3DQEFDTA8MBsGCSqGSIb3DQEFDDAOBAg4rYcCeujWsAICA+gwHQYJYIZIAWUDBAEWBBB6XxvDl4a5FyPkRLn4\
      66MeBIGQOIw8DHWjgZeaw+3FYk3O02VpZwjAm5W54MI3bLeKcYecFL3Jg+0JnynXLRhGz68yoDu6Q0LnyCuN9XyfcEckzBScuH1o\
      oJwNI1G3FTWL8ATJKhB1V0HLiZMGi25pmTdqD8d50IVg6pdSffajzwZ+5G1uYwZ3mWZ3PXnrmy0glD3inbxTtHmLtRaBzbTFiFsi
      """
    ),
    (
      "hmacWithSHA1, aes-256-cbc",
      """
      MIHeMEkGCSqGSIb3DQEFDTA8MBsGCSqGSIb3DQEFDDAOBAh8kpf0cYAchAICA+gwHQYJYIZIAWUDBAEqBBBHkjTtSvgx4u9u6XTa\
      JvQ8BIGQApbjm+hloMd4wHU4SknlwRnr0mO1SUvy1/Os0JxpHKeU7ZuvCWL+vBOs9yhaXBr4NA2WixAgvu7wHADTlZCMKPjmzJYu\
      fYwcje5s5h1vCRksVmB95ELGldE1GXqPRf3BhmQ84CoYVfMKaRUtPeoHWVcw476ljFFOZM26xaZUsZqiNt328VvpBbxTVNPQdkyn
      """
    ),
    (
      "hmacWithSHA256, aes-128-cbc",
      """
      MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAi3ceGBslcIdgICA+gwDAYIKoZIhvcNAgkFADAdBglghkgBZQMEAQIE\
      EM/NJaggqtFsiz7AdNAFG2gEgZB7LYA+ob9Zc3YewjfSpduyimxgfyirQmETFdi24gL8lXDSRTifASoGcuarDW9uAQx+HsIadNpe\
      c9GNd/KAQRu69zUwy6PyqRvU0W+t4FPrJuzTnNvJhbqpOctSCO1vcRW9DYwxw+ckg7s0PNQr+whxfxn8R/RALS84k0L9ITiSXEoW\
      dAtqHDOzqxQw8nGwXwk=
      """
    ),
    (
      "hmacWithSHA256, aes-192-cbc",
      """
      MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAgsL25/9dGcvAICA+gwDAYIKoZIhvcNAgkFADAdBglghkgBZQMEARYE\
      ECftDCILJ16sDcx5VPdSiUkEgZCQIPkza9qB/QOLG7HQp3KtHvYYV5oGVRVnzVyyrK3/MAKJIAyrgBf5Yu2XbrHNHX5nOXs+pF2d\
      uuBahKiGuAVmazW0fPz2akqtoKPRlH3dMPyOqzLzQ13TJNiv2W0PGvZgNwU/ehLqKvV0ZhgLdjUdDuJO6Q1ZK3n4OWcdtIRyTPro\
      R/VZQFsb79UKZU/QY00=
      """
    ),
    (
      "hmacWithSHA256, aes-256-cbc",
      """
      MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAiOYORPrvi7gwICA+gwDAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoE\
      EAxxeOYarLeqSoORFpAxaTgEgZDCOuUE5A2WG/+3JS91DlQSi6YN98U7+cW1eC1wrS6sUZzfODMR82FVKjKKyCQ6c/xovKEHmoRV\
      FNsNOnaddsb6+YX7t2fvgeA7Y3a6OEZe5HP7jj1aACRAHWDOyjzRodnbqhF+/4hcZ7yJobvq/Mv4VGUJOjUZ1K7ZzT+WqL1+OUQ3\
      lGL+VKFSpVWe092Pa8A=
      """
    ),
    (
      "hmacWithSHA384, aes-128-cbc",
      """
      MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAj7Pb7r3XOFHgICA+gwDAYIKoZIhvcNAgoFADAdBglghkgBZQMEAQIE\
      EDNguBai5P9GcEtN5Y3oK0kEgZC6Pm68UAq7HDz+oTlKilbK7QKsthTpIcV3seBWAfw859oNaGKlWVIHeWXLTKxhJTI/jqcWM/CG\
      DPdiIgLJF5hWfTf41wi6PTLX4NMwf2ADOd1oKYxLQlUEyUam0cdOKTO704IfhvT2d0rOJpKjxNhN1FTieFWTFjHlOhWHOy+aIdAV\
      NS+NcTnaaNda9AgKkmU=
      """
    ),
    (
      "hmacWithSHA384, aes-192-cbc",
      """
      MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAgm3Q9bV2NoBQICA+gwDAYIKoZIhvcNAgoFADAdBglghkgBZQMEARYE\
      EO7HFNLUHKnzeaKCD/JtPVgEgZCnlyMWDvd2s8p3rr14dVF81FXGhZu4X7QQyl5ojzUUvCg6nsihuFl1wVlL0Fiqm9aT5ZXsOfYm\
      pD3LnnNhMW+oBJzHyo1MGBRFt7fWiMJsf7/DJNEifsneBIe9umoFxdLIx8/90xvbkveKVq58ZzgdvDYVvnvlrhypn+Dq2Ol1Bncy\
      Rmmx/OdlHdREmsjHqao=
      """
    ),
    (
      "hmacWithSHA384, aes-256-cbc",
      """
      MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAjSI5wQAn3OuwICA+gwDAYIKoZIhvcNAgoFADAdBglghkgBZQMEASoE\
      EMQzvzxstOsx/EfHIgDpV9YEgZDoe13Tg9z9aYiv6OEijtaiMvNS+pI462pNe3FitEqPDymSBeB5o6DkWbsWSphgSJIa1amdng0a\
      XO5TLBkeQZ9Ac5Vv4xUTB2imZPfz1CrL6WaF07u+ssFvzOARb9uTbs5+DE7dHI1U04clGwFnRxXW2Ooy2DhVXcVQ2vKg9fw+pl9Z\
      NH8GJ3uCiG9YcMjzxGI=
      """
    ),
    (
      "hmacWithSHA512, aes-128-cbc",
      """
      MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAhE/od57TTflgICA+gwDAYIKoZIhvcNAgsFADAdBglghkgBZQMEAQIE\
      EBO46+kL/UkiInNe56Tyg9AEgZCxmFoDUEEMNcwjwRAhU0G3Y+59rMg4bdJ4pSg9XxrpJa/cdpaDvpmNMLcUyTCAwqdd2N/ZMZhB\
      RKLhQDVysFJMG7oBHpTG4rqAxO/zdvHprpecq5djOHdI4SG5Q+BjZDiMqg/0zumbGwnEWlQ+YnDHJhAMcCQUFeiwirliknrXjcny\
      swvDsRWIjdTDQN963RE=
      """
    ),
    (
      "hmacWithSHA512, aes-192-cbc",
      """
      MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAizCcuYu/4DcgICA+gwDAYIKoZIhvcNAgsFADAdBglghkgBZQMEARYE\
      EO+QfAqKTLX4luv1bTyu5vwEgZADzarkO+Nc9bl6fPRd6aUVz/rgI7a94+JgNX5MEw/DZRzp2mH44QBDSSdYzDhoEpNRwX8UPk3N\
      VVj3ubIT+nKnjCwvhdgh0ivI7FdafmoJCLWTONG+vqGICqkHNtO9VJuf7oZloLlERlBOQBVrEsog/Ahj3wMblFsTYhyEttQ8ktKO\
      rd0MF5DYAMhhl1QxAYQ=
      """
    ),
    (
      "hmacWithSHA512, aes-256-cbc",
      """
      MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAjsMVIG7Mj2cQICA+gwDAYIKoZIhvcNAgsFADAdBglghkgBZQMEASoE\
      EIKQpnVphPRWtLcYjwrtazsEgZDgO8yk3hPqILnrJ+HXPfJw91+aafXsS0v/pGvTwSAcynx2W09wktD9nfI9He0h2KSy1g4X23sx\
      VgO7Nogmwoh61peVF2T9gtUrsN73MTFeExdg9ebHWI2/OWDSZ7aF+FnREJ+7nZlyXMO+IbM3Li3P3zaEllUBetMczGfHG952NThq\
      LDiuOWFq2C5E0N6OfP0=
      """
    ),
    (
      "Python cryptography, best available",
      """
      MIH0MF8GCSqGSIb3DQEFDTBSMDEGCSqGSIb3DQEFDDAkBBD1zBquJgXMKxUbDH0ojQ8nAgIIADAMBggqhkiG9w0CCQUAMB0GCWCG\
      SAFlAwQBKgQQwZIeuumzrqRmruOb+uwQrQSBkGGDZjVTUzRZ+fABFq3su+a39FcnYSUlR5e/diwky9K1eRF0nVuFniyeyHfGp2tT\
      8hccBlT8X1tzbTw1z9kmojEcGb2V72D7JAZqUNaIVuwHeWT9Cz/kVROtQ0jeoX9mE/g/i+vqYo5MCriGuM4AFepmSAfYurTLTsGQ\
      FdoQVcTHU5J/sxZrryco2gw0f+VhNQ==
      """
    ),
  ]

  /// Of OpenSSL, with the password "x".
  static let scrypt = """
    MIHkME8GCSqGSIb3DQEFDTBCMCEGCSsGAQQB2kcECzAUBAiuPaxDYL4QOwICQAACAQgCAQEwHQYJYIZIAWUDBAEqBBDrLmRC1AbK\
    cIoMmY21HvYrBIGQCnH6mYUWjfeOSRtjaHV/FkONdy/gVI1YT6jzeVAoiZf79XPvKpgWlxBBtrKeRYhSs1Tz71d+9iToZ3RtvPv+\
    x7i1x7p9Czroft1HXyUuHu+SaaRGYyeiBtVWMwuFJ6z8pu7N92xJJJU7lHxQQCd60npFk3p7nB6g/dDvr50jT7Ozd0h3TRTRNlhD\
    YkO0mVxI
    """
  /// Of OpenSSL, with the password "x".
  static let pbes1 = """
    MIGxMBwGCiqGSIb3DQEMAQMwDgQIB9N9DpeFLQYCAggABIGQHZRcdJZW6sCM0bbFoHqTXdOQAczdZsP2LkNMjE8a0aESep6jJ9iD\
    So/L0KGVQ41jEjOKds4wm5Xi09vnQkO+DiHmOReQ18b0CAlfnoT+ukzurScghvz5lVzTdnFNjGtwub+bIt8z06H6N+/4JvtV6fF4\
    4kxSAdGWltQtIDuk/TflYUnSFAIcfDpWgzQo199q
    """
  /// Of OpenSSL, with the password "x".
  static let tripleDES = """
    MIHjME4GCSqGSIb3DQEFDTBBMCkGCSqGSIb3DQEFDDAcBAiF6B2zKpk7VAICCAAwDAYIKoZIhvcNAgkFADAUBggqhkiG9w0DBwQI\
    +rHmV73Qd9gEgZB3rNUhpICbfgUi1qJRn8ErL0da5ad6mtIMC1uBHnnLObZr2Kkl7A7nm7/hTcZDlLsBKepoHMOUSKjMGOW0w+Xn\
    mvga03yiX7DrOrkn4NuglXhI2cuapSjUMlfp8os/hBh+JuKXjyoq+IbMyJK8UWigZ+ah0Ldyp+ujW0YoP4KIZZWMaK5NSgRK7H27\
    QW+ybx0=
    """

  /// An Ed25519 key, one on secp256k1 and one on brainpoolP256r1, from OpenSSL with the same password: AES-128-CBC,
  /// HMAC with SHA-1.
  static let ed25519 = """
    MIGNMEkGCSqGSIb3DQEFDTA8MBsGCSqGSIb3DQEFDDAOBAi4kWvlO7+H/AICA+gwHQYJYIZIAWUDBAECBBA0yWbpRzUwskHksF/0\
    w2UfBEDL55YPev4pBxfa/cZdbrxbAz/n3lROdxKBGJTPVL2Tcc3fYcjNAGpSGM3RUxOPg5I5ux8QLE1c+z30t6TjDVNI
    """
  static let secp256k1 = """
    MIHeMEkGCSqGSIb3DQEFDTA8MBsGCSqGSIb3DQEFDDAOBAg1gDnM2DPqWgICA+gwHQYJYIZIAWUDBAECBBBfP4ICdYLN3ZxIlot8\
    cs1nBIGQA6MR+szIEK7mNbvelvwrwL2XGVtcHvkwAPYRgAo5mqXurMoLP4DE9+UtCTLMtac6kRd1+j8SMdhWnt0KuP+0Z4XxfFCQ\
    7Wv4kQqbeB1ZkCeeXCttSNa5Ld3fa7Qv+nrH50Bh816Ni+o7nPkvwICAC8g7oG2qGi+UvURDHNH5/7drXvbKIunV+4F9IjAplJsP
    """
  static let brainpool = """
    MIHeMEkGCSqGSIb3DQEFDTA8MBsGCSqGSIb3DQEFDDAOBAihAuoDEuK+PwICA+gwHQYJYIZIAWUDBAECBBAEsELxLCqDNMGpmxkj\
    3KnOBIGQYmv3zdPY9DrNlEgoMw3ckiuDsJ2vH5yR5apNxRTwsexPBDx00qdR2Q9YWKqYpv5UI8qY5WyOPEC3Yqg8UuYGLPZEoigK\
    v+qpjvNunclaQy6Lleb9vE01ktq44rEPboO9uQ7gyZghAgQeClFvQdi656GUQleDpRp8zuyi38DToNnzn73R9iLg2Wnk6bN82r8H
    """
}
