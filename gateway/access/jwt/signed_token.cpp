#include "gateway/access/jwt/signed_token.hpp"

#include "gateway/access/jwt/strict_json.hpp"
#include "gateway/http/header_names.hpp"
#include "proxy/json/base64.hpp"

#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>

#include <algorithm>
#include <memory>
#include <utility>

namespace photofinish::gateway {
namespace {

using nlohmann::json;

struct free_verifying {
  void operator()(EVP_MD_CTX* each) const { EVP_MD_CTX_free(each); }
  void operator()(ECDSA_SIG* each) const { ECDSA_SIG_free(each); }
};

const unsigned char* unsigned_bytes(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

std::string member_text(const json& of, const char* name) {
  const auto found = of.find(name);
  return found != of.end() && found->is_string() ? found->get<std::string>() : std::string();
}

// True if the type of the token is accepted. "at+jwt" is an access token (RFC 9068). Tokens of other types, such as
// logout tokens, are signed with the same key but have another meaning.
bool is_type_taken(const json& header) {
  if (!header.contains("typ")) return true;
  const std::string type = lower_case(member_text(header, "typ"));
  return type == "jwt" || type == "at+jwt" || type == "application/at+jwt";
}

// Reads the header of a token. Returns an error text, or an empty text.
std::string read_header(const json& header, signed_token& into) {
  if (header.contains("crit"))
    return "has a `crit` header, which requires an extension that this gateway does not support";
  if (!is_type_taken(header)) return "has a type (`typ`) that is neither JWT nor at+jwt";
  const auto named = proxy::parse_word<jwt_algorithm>(member_text(header, "alg"));
  if (!named) return "is not signed with RS256, ES256 or EdDSA";
  into.algorithm = *named;
  into.key_id = member_text(header, "kid");
  if (header.contains("kid") && into.key_id.empty()) return "has a `kid` header that is not a string";
  return {};
}

// Converts the values r and s of a signature from the format of JWS to the format of OpenSSL. Returns an empty text if
// they are invalid.
std::string as_der(const std::string& signature) {
  constexpr std::size_t half = 32;
  if (signature.size() != 2 * half) return {};
  const std::unique_ptr<ECDSA_SIG, free_verifying> pair(ECDSA_SIG_new());
  BIGNUM* r = BN_bin2bn(unsigned_bytes(signature), half, nullptr);
  BIGNUM* s = BN_bin2bn(unsigned_bytes(signature) + half, half, nullptr);
  if (!pair || r == nullptr || s == nullptr || ECDSA_SIG_set0(pair.get(), r, s) != 1) {
    BN_free(r), BN_free(s);
    return {};
  }
  std::string made(static_cast<std::size_t>(std::max(0, i2d_ECDSA_SIG(pair.get(), nullptr))), '\0');
  auto* into = reinterpret_cast<unsigned char*>(made.data());
  if (!made.empty()) i2d_ECDSA_SIG(pair.get(), &into);
  return made;
}

}  // namespace

bool is_jwt(std::string_view text) {
  constexpr std::string_view characters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.";
  return text.starts_with("eyJ") && std::count(text.begin(), text.end(), '.') == 2 &&
         text.find_first_not_of(characters) == std::string_view::npos;
}

std::string signed_token::issuer() const { return member_text(claims, "iss"); }

std::variant<signed_token, std::string> read_signed_token(std::string_view text) {
  if (text.size() > longest_jwt) return "is longer than " + std::to_string(longest_jwt) + " characters";
  if (!is_jwt(text)) return "does not consist of three base64url parts separated by dots";
  const std::size_t first = text.find('.'), second = text.rfind('.');
  const auto header = read_strict_object(proxy::base64url_decoded(text.substr(0, first)));
  if (!header) return "has a header that is not a JSON object, or that has two members with the same name";
  signed_token made;
  if (std::string problem = read_header(*header, made); !problem.empty()) return problem;
  auto claims = read_strict_object(proxy::base64url_decoded(text.substr(first + 1, second - first - 1)));
  if (!claims) return "has claims that are not a JSON object, or two claims with the same name";
  made.claims = *std::move(claims);
  made.signed_text = text.substr(0, second);
  made.signature = proxy::base64url_decoded(text.substr(second + 1));
  if (made.signature.empty()) return "has no base64url signature";
  return made;
}

bool is_signed_by(const signed_token& token, const verification_key& key) {
  if (token.algorithm != key.algorithm) return false;
  const std::string signature = key.algorithm == jwt_algorithm::es256 ? as_der(token.signature) : token.signature;
  const EVP_MD* hash = key.algorithm == jwt_algorithm::eddsa ? nullptr : EVP_sha256();
  const std::unique_ptr<EVP_MD_CTX, free_verifying> context(EVP_MD_CTX_new());
  const bool is_true = context && !signature.empty() &&
                       EVP_DigestVerifyInit(context.get(), nullptr, hash, nullptr, key.key.get()) == 1 &&
                       EVP_DigestVerify(context.get(), unsigned_bytes(signature), signature.size(),
                                        unsigned_bytes(token.signed_text), token.signed_text.size()) == 1;
  ERR_clear_error();  // clears OpenSSL's errors, which a later TLS call on this thread would otherwise report
  return is_true;
}

}  // namespace photofinish::gateway
