import Foundation

/// An RSAPrivateKey of 1024 bits whose first "prime" is three times a prime. All numbers are what their relations ask for.
enum CompositeKey {
    static var der: Data? { Data(base64Encoded: base64, options: .ignoreUnknownCharacters) }

    private static let base64 = """
        MIICWwIBAAKBgQChbm6Eorb5S1HuYBHvm6sDRd5tHVElhm5JU1sG0lOUAO7su+hzUzlddSwiDlaz7mu4tj9Y21ihybK9uIWhwYh3
        QGYeUWtiZj5baJdrK/YN8FsEYOuKYnWSgVX6AM3cXlg3b2yLjkB7n/9ORz0tVSL15IvdBEC7Jh1Lqh/l3G7DHwIDAQABAoGAAdlA
        Zb9xRfiRVx/9hJdtRWvS6L/5smrQL4HHXJQjBeJe2hIqzstIsGPLnhY48vWLgUGBBzT31l53cAnBagFL3UEU+qe66qA1PHRkdmvV
        NG8slTRo1xIA0RU8+I6inP/zOBbAyP8EzCMNZLECRTrqyqwS9oxNeOhI1non/Xl7KhkCQQDIa9hELtT5AW/lUDam7cv9pflUdDxo
        9mR/JhUF4qQJXvEcHIm8w0Df2dali9uHEAvXokPjGpxbY3ImH9emeC+pAkEAzjKlUcY84h0kQ1lY6s8zqbRm+raWLATdJdB0YQWc
        FXQPPw9IUta3ed5DecvYIwB2zWuwO+s1N6AtbgKRt4k5hwJALF7b0TSBB+OOjzjz8H7i03PkQBM/sIkj9JZMvzHO2RhAztVulPCx
        Mx26DIpq/nrJ9GJDH0sr5HuesNwJ1Rv0iQJAB8ffdyN83qds2+G+OjYRZAD7tdA4AHc6hRfFnHeiuSiE/sMr3nxdtgqOD0WC5Wc6
        FGxQ3SH2AyBXNoSATSWvdwJAERGDehP5l/h+SRzakke5ZFIyb1WEdC8oZXW3XlEV4IW6OoQuRJEvLfsBWuV8wBrj2OrPY2y/LM58
        E78G5hwlaw==
        """
}
