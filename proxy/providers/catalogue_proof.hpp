// Verifies a file that an operator has chosen, by its SHA-256 hash or its Ed25519 signature. [pure but for X.509]
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace photofinish::proxy {

// Returns the SHA-256 of a text as 64 hex digits in lower case.
std::string sha256_hex(std::string_view text);

// True if the text is an Ed25519 public key in one of three forms: PEM, the base64 text inside the PEM, or the key's 32
// bytes as base64.
bool is_ed25519_public_key(std::string_view key);

// True if the signature is valid for the text. A signature is 64 bytes, or their base64 form.
bool is_signed_by(std::string_view public_key, std::string_view text, std::string_view signature);

// Returns a signature of 64 bytes, or nullopt if `private_key` is not an Ed25519 key in PEM without a passphrase.
std::optional<std::string> ed25519_signature(std::string_view private_key, std::string_view text);

}  // namespace photofinish::proxy
