#include "gateway/access/sealed_key.hpp"

#include "gateway/http/header_names.hpp"
#include "proxy/json/base64.hpp"

#include <nlohmann/json.hpp>

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include <array>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <utility>

namespace photofinish::gateway {
namespace {

using nlohmann::json;
using std::chrono::sys_seconds;

constexpr std::string_view key_prefix = "pfs1-";
constexpr std::size_t kid_size = 8, salt_size = 24, tag_size = 16, key_size = 32, nonce_size = 12;
constexpr std::size_t head_size = key_prefix.size() + kid_size + 1;

struct forget_context {
  void operator()(EVP_CIPHER_CTX* each) const { EVP_CIPHER_CTX_free(each); }
};
using context = std::unique_ptr<EVP_CIPHER_CTX, forget_context>;

const unsigned char* bytes_of(std::string_view text) { return reinterpret_cast<const unsigned char*>(text.data()); }
unsigned char* bytes_of(std::string& text) { return reinterpret_cast<unsigned char*>(text.data()); }

std::string hmac(std::string_view key, std::string_view text) {
  std::string made(EVP_MAX_MD_SIZE, '\0');
  unsigned int size = 0;
  HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), bytes_of(text), text.size(), bytes_of(made), &size);
  made.resize(size);
  return made;
}

// Returns the beginning of a sealed key, such as "pfs1-1a2b3c4d-". It identifies the secret, and is authenticated
// together with the encrypted claims. Only that secret is tried, because a GCM ciphertext may be valid under several
// keys.
std::string head_of(const proxy::secret& secret) {
  constexpr std::string_view hex = "0123456789abcdef";
  std::string head(key_prefix);
  for (const char each : hmac(secret.reveal(), "photofinish sealed key id").substr(0, kid_size / 2)) {
    const auto byte = static_cast<unsigned char>(each);
    head.append({hex[byte >> 4], hex[byte & 15]});
  }
  return head + "-";
}

// Derives an encryption key and a nonce for each sealed key by HKDF (RFC 5869). Therefore one secret can seal any
// number of keys.
std::string key_and_nonce(const proxy::secret& secret, std::string_view salt) {
  constexpr std::string_view purpose = "photofinish sealed key 1";
  const std::string extracted = hmac(salt, secret.reveal());
  const std::string first = hmac(extracted, std::string(purpose) + '\x01');
  return (first + hmac(extracted, first + std::string(purpose) + '\x02')).substr(0, key_size + nonce_size);
}

std::string encrypted(std::string_view text, std::string_view head, const std::string& key) {
  const context with(EVP_CIPHER_CTX_new());
  std::string made(text.size() + tag_size, '\0');
  int size = 0;
  const bool is_done =
      with &&
      EVP_EncryptInit_ex(with.get(), EVP_aes_256_gcm(), nullptr, bytes_of(key), bytes_of(key) + key_size) == 1 &&
      EVP_EncryptUpdate(with.get(), nullptr, &size, bytes_of(head), static_cast<int>(head.size())) == 1 &&
      EVP_EncryptUpdate(with.get(), bytes_of(made), &size, bytes_of(text), static_cast<int>(text.size())) == 1 &&
      EVP_EncryptFinal_ex(with.get(), bytes_of(made) + text.size(), &size) == 1 &&
      EVP_CIPHER_CTX_ctrl(with.get(), EVP_CTRL_GCM_GET_TAG, tag_size, bytes_of(made) + text.size()) == 1;
  if (!is_done) throw std::runtime_error("a key cannot be sealed: OpenSSL refuses AES-256-GCM");
  return made;
}

std::optional<std::string> decrypted(std::string_view sealed, std::string_view head, const std::string& key) {
  const context with(EVP_CIPHER_CTX_new());
  const std::string_view text = sealed.substr(0, sealed.size() - tag_size);
  std::string tag(sealed.substr(text.size()));
  std::string made(text.size() + tag_size, '\0');  // the decrypted text is never longer than this buffer
  int size = 0;
  const bool is_true =
      with &&
      EVP_DecryptInit_ex(with.get(), EVP_aes_256_gcm(), nullptr, bytes_of(key), bytes_of(key) + key_size) == 1 &&
      EVP_DecryptUpdate(with.get(), nullptr, &size, bytes_of(head), static_cast<int>(head.size())) == 1 &&
      EVP_DecryptUpdate(with.get(), bytes_of(made), &size, bytes_of(text), static_cast<int>(text.size())) == 1 &&
      EVP_CIPHER_CTX_ctrl(with.get(), EVP_CTRL_GCM_SET_TAG, tag_size, bytes_of(tag)) == 1 &&
      EVP_DecryptFinal_ex(with.get(), bytes_of(made) + text.size(), &size) == 1;
  made.resize(text.size());
  return is_true ? std::optional(std::move(made)) : std::nullopt;
}

constexpr std::array<std::pair<const char*, std::uint64_t limit_settings::*>, 3> limits_in_order{
    {{"rpm_limit", &limit_settings::requests_per_minute},
     {"tpm_limit", &limit_settings::tokens_per_minute},
     {"max_parallel_requests", &limit_settings::parallel_requests}}};

std::string to_text(const sealed_claims& claims) {
  json made{{"aud", claims.audience}, {"jti", claims.id}, {"sub", claims.subject},
            {"iat", claims.issued.time_since_epoch().count()}, {"exp", claims.expires.time_since_epoch().count()}};
  if (!claims.team.empty()) made["team"] = claims.team;
  if (!claims.routes.empty()) made["routes"] = claims.routes;
  for (const auto& [name, limit] : limits_in_order)
    if (claims.limits.*limit > 0) made["limits"][name] = claims.limits.*limit;
  for (const auto& [provider, its] : claims.keys)
    made["keys"][provider] = {{"host", its.host}, {"key", its.key.reveal()}};
  return made.dump(-1, ' ', false, json::error_handler_t::replace);
}

// Reads claims and collects errors. Only the owner of the secret can seal a key, so a wrong claim is a mistake and not
// an attack. Nevertheless, the key is refused.
class claims_reader {
 public:
  explicit claims_reader(const json& from) : from_(from), is_right_(from.is_object()) {}

  // A sealed key with an unknown claim is refused, because the claim may be a limit.
  bool is_right() const { return is_right_ && read_ == from_.size(); }

  std::string text(const char* name, bool is_needed) {
    const json* found = find(name, is_needed);
    if (found == nullptr) return {};
    is_right_ &= found->is_string() && (!is_needed || !found->get_ref<const std::string&>().empty());
    return found->is_string() ? found->get<std::string>() : std::string();
  }
  std::uint64_t number(const char* name, bool is_needed) {
    constexpr std::uint64_t most = 60'000'000'000;
    const json* found = find(name, is_needed);
    if (found == nullptr) return 0;
    is_right_ &= found->is_number_unsigned() && found->get<std::uint64_t>() <= most;
    return is_right_ ? found->get<std::uint64_t>() : 0;
  }
  sys_seconds time(const char* name) { return sys_seconds(std::chrono::seconds(number(name, true))); }
  const json* find(const char* name, bool is_needed) {
    const auto found = is_right_ ? from_.find(name) : from_.end();
    if (!is_right_ || found == from_.end()) {
      is_right_ &= !is_needed;
      return nullptr;
    }
    ++read_;
    return &*found;
  }

 private:
  const json& from_;
  bool is_right_;
  std::size_t read_ = 0;
};

bool read_routes(const json& list, std::vector<std::string>& into) {
  if (!list.is_array() || list.empty()) return false;
  for (const json& each : list) {
    if (!each.is_string()) return false;
    into.push_back(each.get<std::string>());
  }
  return true;
}

bool read_limits(const json& map, limit_settings& into) {
  claims_reader reader(map);
  for (const auto& [name, limit] : limits_in_order) {
    into.*limit = reader.number(name, false);
    // The value 0 is refused, because it would mean that there is no limit.
    if (map.is_object() && map.contains(name) && into.*limit == 0) return false;
  }
  return reader.is_right();
}

bool read_keys(const json& map, std::map<std::string, sealed_provider_key, std::less<>>& into) {
  if (!map.is_object()) return false;
  for (const auto& [provider, its] : map.items()) {
    claims_reader reader(its);
    sealed_provider_key read{reader.text("host", true), proxy::secret(reader.text("key", true))};
    // The provider key must be a valid header value, because it is copied into the request's head unchanged.
    if (!reader.is_right() || !is_sendable_key(read.key.reveal())) return false;
    into.emplace(provider, std::move(read));
  }
  return true;
}

std::optional<sealed_claims> read_claims(const std::string& text) {
  const json from = json::parse(text, nullptr, false);
  claims_reader reader(from);
  sealed_claims claims{reader.text("aud", true), reader.text("jti", true), reader.text("sub", true)};
  claims.issued = reader.time("iat");
  claims.expires = reader.time("exp");
  claims.team = reader.text("team", false);
  bool is_right = true;
  if (const json* routes = reader.find("routes", false)) is_right &= read_routes(*routes, claims.routes);
  if (const json* limits = reader.find("limits", false)) is_right &= read_limits(*limits, claims.limits);
  if (const json* keys = reader.find("keys", false)) is_right &= read_keys(*keys, claims.keys);
  return is_right && reader.is_right() ? std::optional(std::move(claims)) : std::nullopt;
}

}  // namespace

bool is_sealed_key(std::string_view text) { return text.starts_with(key_prefix); }

std::string seal(const sealed_claims& claims, const proxy::secret& by) {
  std::string salt(salt_size, '\0');
  if (RAND_bytes(bytes_of(salt), static_cast<int>(salt_size)) != 1)
    throw std::runtime_error("the system returned no random bytes");
  const std::string head = head_of(by);
  return head + proxy::base64url_encoded(salt + encrypted(to_text(claims), head, key_and_nonce(by, salt)));
}

std::optional<sealed_claims> open_sealed_key(std::string_view text, std::span<const proxy::secret> secrets) {
  if (!is_sealed_key(text) || text.size() > longest_sealed_key || text.size() <= head_size) return std::nullopt;
  const std::string_view head = text.substr(0, head_size);
  for (const proxy::secret& each : secrets) {
    if (head_of(each) != head) continue;
    const std::string bytes = proxy::base64url_decoded(text.substr(head_size));
    if (bytes.size() <= salt_size + tag_size) return std::nullopt;
    const std::string_view all(bytes);
    const auto claims = decrypted(all.substr(salt_size), head, key_and_nonce(each, all.substr(0, salt_size)));
    return claims ? read_claims(*claims) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace photofinish::gateway
