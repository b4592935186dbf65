// Proves that a file is the file that an operator chose, by its SHA-256 or an Ed25519 signature. [pure but for X.509]
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace photofinish::proxy {

// Returns the SHA-256 of a text as 64 hex digits in lower case.
std::string sha256_hex(std::string_view text);

// True if the text is a public key: a PEM text, or the base64 form of the key's 32 bytes or of the DER form in PEM.
bool is_ed25519_public_key(std::string_view key);

// True if the signature fits the text. A signature is 64 bytes, or their base64 form.
bool is_signed_by(std::string_view public_key, std::string_view text, std::string_view signature);

// Returns a signature of 64 bytes, or nothing if `private_key` is not an Ed25519 key in PEM without a passphrase.
std::optional<std::string> ed25519_signature(std::string_view private_key, std::string_view text);

}  // namespace photofinish::proxy
