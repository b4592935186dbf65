#include "gateway/access/jwt/key_set.hpp"

#include "gateway/access/jwt/strict_json.hpp"
#include "proxy/json/base64.hpp"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace photofinish::gateway {
namespace {

using nlohmann::json;

constexpr std::size_t most_keys = 64;
constexpr int least_rsa_bits = 2048, most_rsa_bits = 8192;  // longer keys are refused, because they are slow: a check
                                                            // takes milliseconds
constexpr int most_exponent_bits = 64;
constexpr std::size_t coordinate_size = 32;  // the size in bytes of a coordinate of a P-256 or Ed25519 key

struct free_openssl {
  void operator()(BIGNUM* each) const { BN_free(each); }
  void operator()(EVP_PKEY* each) const { EVP_PKEY_free(each); }
  void operator()(EVP_PKEY_CTX* each) const { EVP_PKEY_CTX_free(each); }
  void operator()(OSSL_PARAM* each) const { OSSL_PARAM_free(each); }
  void operator()(OSSL_PARAM_BLD* each) const { OSSL_PARAM_BLD_free(each); }
};
template <class T>
using owned = std::unique_ptr<T, free_openssl>;
using public_key = std::shared_ptr<EVP_PKEY>;

const unsigned char* octets(const std::string& text) { return reinterpret_cast<const unsigned char*>(text.data()); }

std::string text_in(const json& key, const char* name) {
  const auto found = key.find(name);
  return found != key.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::string bytes_in(const json& key, const char* name) { return proxy::base64url_decoded(text_in(key, name)); }

public_key made_of(const char* type, OSSL_PARAM_BLD* with) {
  const owned<OSSL_PARAM> params(OSSL_PARAM_BLD_to_param(with));
  const owned<EVP_PKEY_CTX> context(EVP_PKEY_CTX_new_from_name(nullptr, type, nullptr));
  EVP_PKEY* made = nullptr;
  if (!params || !context || EVP_PKEY_fromdata_init(context.get()) != 1 ||
      EVP_PKEY_fromdata(context.get(), &made, EVP_PKEY_PUBLIC_KEY, params.get()) != 1)
    return nullptr;
  return public_key(made, free_openssl());
}

public_key rsa_key(const json& from) {
  const std::string modulus = bytes_in(from, "n"), exponent = bytes_in(from, "e");
  const owned<BIGNUM> n(BN_bin2bn(octets(modulus), static_cast<int>(modulus.size()), nullptr));
  const owned<BIGNUM> e(BN_bin2bn(octets(exponent), static_cast<int>(exponent.size()), nullptr));
  const owned<OSSL_PARAM_BLD> with(OSSL_PARAM_BLD_new());
  if (!n || !e || !with) return nullptr;
  const int bits = BN_num_bits(n.get()), exponent_bits = BN_num_bits(e.get());
  const bool is_strong = bits >= least_rsa_bits && bits <= most_rsa_bits && BN_is_odd(n.get()) == 1 &&
                         exponent_bits >= 2 && exponent_bits <= most_exponent_bits && BN_is_odd(e.get()) == 1;
  if (!is_strong || OSSL_PARAM_BLD_push_BN(with.get(), OSSL_PKEY_PARAM_RSA_N, n.get()) != 1 ||
      OSSL_PARAM_BLD_push_BN(with.get(), OSSL_PKEY_PARAM_RSA_E, e.get()) != 1)
    return nullptr;
  return made_of("RSA", with.get());
}

public_key p256_key(const json& from) {
  const std::string x = bytes_in(from, "x"), y = bytes_in(from, "y");
  if (text_in(from, "crv") != "P-256" || x.size() != coordinate_size || y.size() != coordinate_size) return nullptr;
  const std::string point = "\x04" + x + y;
  const owned<OSSL_PARAM_BLD> with(OSSL_PARAM_BLD_new());
  if (!with || OSSL_PARAM_BLD_push_utf8_string(with.get(), OSSL_PKEY_PARAM_GROUP_NAME, "P-256", 0) != 1 ||
      OSSL_PARAM_BLD_push_octet_string(with.get(), OSSL_PKEY_PARAM_PUB_KEY, point.data(), point.size()) != 1)
    return nullptr;
  public_key made = made_of("EC", with.get());
  const owned<EVP_PKEY_CTX> check(made ? EVP_PKEY_CTX_new(made.get(), nullptr) : nullptr);
  return check && EVP_PKEY_public_check(check.get()) == 1 ? made : nullptr;
}

public_key ed25519_key(const json& from) {
  const std::string x = bytes_in(from, "x");
  if (text_in(from, "crv") != "Ed25519" || x.size() != coordinate_size) return nullptr;
  return public_key(EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, octets(x), x.size()), free_openssl());
}

// True if the key may verify signatures. If a key states its purpose, it must not be used for anything else.
bool is_for_signatures(const json& key, std::string_view algorithm) {
  if (key.contains("use") && text_in(key, "use") != "sig") return false;
  if (key.contains("alg") && text_in(key, "alg") != algorithm) return false;
  const auto uses = key.find("key_ops");
  if (uses == key.end()) return true;
  return uses->is_array() && std::find(uses->begin(), uses->end(), json("verify")) != uses->end();
}

std::optional<verification_key> read_key(const json& from) {
  if (!from.is_object()) return std::nullopt;
  const std::string type = text_in(from, "kty");
  verification_key made{text_in(from, "kid"), jwt_algorithm::rs256, nullptr};
  if (type == "RSA" && is_for_signatures(from, "RS256")) made.key = rsa_key(from);
  if (type == "EC" && is_for_signatures(from, "ES256"))
    made.algorithm = jwt_algorithm::es256, made.key = p256_key(from);
  if (type == "OKP" && is_for_signatures(from, "EdDSA"))
    made.algorithm = jwt_algorithm::eddsa, made.key = ed25519_key(from);
  return made.key ? std::optional(std::move(made)) : std::nullopt;
}

}  // namespace

std::variant<key_set, std::string> read_key_set(std::string_view text) {
  const auto read = read_strict_object(text);
  if (!read) return "the answer is not a JSON object, or has two members with the same name";
  const auto keys = read->find("keys");
  if (keys == read->end() || !keys->is_array()) return "the answer has no `keys` list";
  if (keys->size() > most_keys) return "the answer has more than " + std::to_string(most_keys) + " keys";
  key_set made;
  for (const json& each : *keys)
    if (auto key = read_key(each)) made.push_back(*std::move(key));
  ERR_clear_error();  // clears OpenSSL's errors, which a later TLS call on this thread would otherwise report
  if (made.empty()) return "the answer has no key for RS256 (from 2048 bits), ES256 or EdDSA (Ed25519)";
  return made;
}

const verification_key* find_key(const key_set& among, std::string_view id, jwt_algorithm algorithm) {
  const verification_key* found = nullptr;
  for (const verification_key& each : among) {
    if (each.algorithm != algorithm || (!id.empty() && each.id != id)) continue;
    if (!id.empty()) return &each;
    if (found != nullptr) return nullptr;  // several keys match, but the token does not name any of them
    found = &each;
  }
  return found;
}

}  // namespace photofinish::gateway
