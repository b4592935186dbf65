#include "proxy/providers/catalogue_proof.hpp"

#include "proxy/json/base64.hpp"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <array>
#include <memory>

namespace photofinish::proxy {

namespace {

constexpr std::size_t raw_key_size = 32, signature_size = 64;
constexpr std::size_t longest_key_text = 4096;
constexpr std::string_view spaces = " \t\r\n";

struct free_key_material {
  void operator()(EVP_PKEY* each) const { EVP_PKEY_free(each); }
  void operator()(EVP_MD_CTX* each) const { EVP_MD_CTX_free(each); }
  void operator()(BIO* each) const { BIO_free(each); }
};
using key_pointer = std::unique_ptr<EVP_PKEY, free_key_material>;
using digest_pointer = std::unique_ptr<EVP_MD_CTX, free_key_material>;
using text_source = std::unique_ptr<BIO, free_key_material>;

const unsigned char* octets_of(std::string_view text) { return reinterpret_cast<const unsigned char*>(text.data()); }

std::string without_spaces(std::string_view text) {
  std::string rest;
  for (const char each : text)
    if (spaces.find(each) == std::string_view::npos) rest += each;
  return rest;
}

int refuse_passphrase(char*, int, int, void*) { return -1; }

// Returns the key, or null if it is not an Ed25519 key. Clears OpenSSL's error queue, because TLS connections of this
// thread would otherwise report old errors.
key_pointer only_ed25519(EVP_PKEY* key) {
  key_pointer owned(key);
  ERR_clear_error();
  return owned && EVP_PKEY_get_base_id(owned.get()) == EVP_PKEY_ED25519 ? std::move(owned) : nullptr;
}

key_pointer read_public_key(std::string_view text) {
  if (text.size() > longest_key_text) return nullptr;
  if (text.find("-----BEGIN") != std::string_view::npos) {
    const text_source source(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
    return only_ed25519(source ? PEM_read_bio_PUBKEY(source.get(), nullptr, refuse_passphrase, nullptr) : nullptr);
  }
  const std::string bytes = base64_decoded(without_spaces(text));
  if (bytes.size() == raw_key_size)
    return only_ed25519(EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, octets_of(bytes), bytes.size()));
  const unsigned char* begin = octets_of(bytes);
  return only_ed25519(bytes.empty() ? nullptr : d2i_PUBKEY(nullptr, &begin, static_cast<long>(bytes.size())));
}

std::string signature_bytes(std::string_view text) {
  return text.size() == signature_size ? std::string(text) : base64_decoded(without_spaces(text));
}

}  // namespace

std::string sha256_hex(std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_sha256(), nullptr);
  std::string hex;
  for (unsigned int i = 0; i < size; ++i) {
    hex += digits[digest[i] >> 4];
    hex += digits[digest[i] & 15];
  }
  return hex;
}

bool is_ed25519_public_key(std::string_view key) { return read_public_key(key) != nullptr; }

bool is_signed_by(std::string_view public_key, std::string_view text, std::string_view signature) {
  const key_pointer key = read_public_key(public_key);
  const digest_pointer context(EVP_MD_CTX_new());
  const std::string bytes = signature.size() > longest_key_text ? std::string() : signature_bytes(signature);
  const bool is_true =
      key && context && bytes.size() == signature_size &&
      EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, key.get()) == 1 &&
      EVP_DigestVerify(context.get(), octets_of(bytes), bytes.size(), octets_of(text), text.size()) == 1;
  ERR_clear_error();
  return is_true;
}

std::optional<std::string> ed25519_signature(std::string_view private_key, std::string_view text) {
  if (private_key.size() > longest_key_text) return std::nullopt;
  const text_source source(BIO_new_mem_buf(private_key.data(), static_cast<int>(private_key.size())));
  const key_pointer key = only_ed25519(
      source ? PEM_read_bio_PrivateKey(source.get(), nullptr, refuse_passphrase, nullptr) : nullptr);
  const digest_pointer context(EVP_MD_CTX_new());
  std::array<unsigned char, signature_size> bytes{};
  std::size_t size = bytes.size();
  const bool is_signed = key && context &&
                         EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, key.get()) == 1 &&
                         EVP_DigestSign(context.get(), bytes.data(), &size, octets_of(text), text.size()) == 1;
  ERR_clear_error();
  if (!is_signed) return std::nullopt;
  return std::string(bytes.begin(), bytes.end());
}

}  // namespace photofinish::proxy
