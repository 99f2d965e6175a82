import KeychainModel

func secret(_ text: String) -> SecretBytes { SecretBytes(text.utf8) }
