// Simulates an identity provider. The test creates its keys and tokens, some of which are invalid.
#pragma once

#include "proxy/json/base64.hpp"

#include <nlohmann/json.hpp>

#include <openssl/core_names.h>
#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace photofinish::testing {

class token_issuer {
 public:
  using json = nlohmann::json;

  // `algorithm` is RS256, ES256 or EdDSA.
  token_issuer(std::string algorithm, std::string kid, unsigned rsa_bits = 2048)
      : algorithm_(std::move(algorithm)), kid_(std::move(kid)) {
    if (algorithm_ == "RS256") key_.reset(EVP_RSA_gen(rsa_bits), EVP_PKEY_free);
    else if (algorithm_ == "ES256") key_.reset(EVP_EC_gen("P-256"), EVP_PKEY_free);
    else key_.reset(EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519"), EVP_PKEY_free);
    if (!key_) throw std::runtime_error("no key for " + algorithm_);
  }

  json jwk() const {
    json made{{"kid", kid_}, {"use", "sig"}, {"alg", algorithm_}};
    if (algorithm_ == "RS256") {
      made.update({{"kty", "RSA"}, {"n", number(OSSL_PKEY_PARAM_RSA_N, 0)}, {"e", number(OSSL_PKEY_PARAM_RSA_E, 0)}});
    } else if (algorithm_ == "ES256") {
      made.update({{"kty", "EC"}, {"crv", "P-256"}, {"x", number(OSSL_PKEY_PARAM_EC_PUB_X, 32)},
                   {"y", number(OSSL_PKEY_PARAM_EC_PUB_Y, 32)}});
    } else {
      std::string raw(32, '\0');
      std::size_t size = raw.size();
      EVP_PKEY_get_raw_public_key(key_.get(), reinterpret_cast<unsigned char*>(raw.data()), &size);
      made.update({{"kty", "OKP"}, {"crv", "Ed25519"}, {"x", proxy::base64url_encoded(raw)}});
    }
    return made;
  }
  std::string key_set() const { return json{{"keys", {jwk()}}}.dump(); }

  std::string token(const json& claims) const {
    return signed_parts(json{{"alg", algorithm_}, {"typ", "JWT"}, {"kid", kid_}}.dump(), claims.dump());
  }
  // Signs a token with arbitrary header and claims, which may be invalid.
  std::string signed_parts(const std::string& header, const std::string& claims) const {
    const std::string text = proxy::base64url_encoded(header) + "." + proxy::base64url_encoded(claims);
    return text + "." + proxy::base64url_encoded(signature(text));
  }

 private:
  std::string number(const char* name, std::size_t size) const {
    BIGNUM* read = nullptr;
    if (EVP_PKEY_get_bn_param(key_.get(), name, &read) != 1) throw std::runtime_error("no number");
    std::string bytes(size > 0 ? size : static_cast<std::size_t>(BN_num_bytes(read)), '\0');
    BN_bn2binpad(read, reinterpret_cast<unsigned char*>(bytes.data()), static_cast<int>(bytes.size()));
    BN_free(read);
    return proxy::base64url_encoded(bytes);
  }

  std::string signature(const std::string& text) const {
    const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
    const EVP_MD* hash = algorithm_ == "EdDSA" ? nullptr : EVP_sha256();
    const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
    std::size_t size = 0;
    if (EVP_DigestSignInit(context.get(), nullptr, hash, nullptr, key_.get()) != 1 ||
        EVP_DigestSign(context.get(), nullptr, &size, bytes, text.size()) != 1)
      throw std::runtime_error("no signature");
    std::string made(size, '\0');
    EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(made.data()), &size, bytes, text.size());
    made.resize(size);
    return algorithm_ == "ES256" ? halves_of(made) : made;
  }

  static std::string halves_of(const std::string& der) {
    const auto* at = reinterpret_cast<const unsigned char*>(der.data());
    ECDSA_SIG* read = d2i_ECDSA_SIG(nullptr, &at, static_cast<long>(der.size()));
    std::string made(64, '\0');
    auto* into = reinterpret_cast<unsigned char*>(made.data());
    BN_bn2binpad(ECDSA_SIG_get0_r(read), into, 32);
    BN_bn2binpad(ECDSA_SIG_get0_s(read), into + 32, 32);
    ECDSA_SIG_free(read);
    return made;
  }

  std::string algorithm_, kid_;
  std::shared_ptr<EVP_PKEY> key_;
};

}  // namespace photofinish::testing
