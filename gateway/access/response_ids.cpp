#include "gateway/access/response_ids.hpp"

#include "gateway/access/constant_time.hpp"
#include "proxy/json/base64.hpp"

#include <openssl/evp.h>
#include <openssl/hmac.h>


namespace photofinish::gateway {
namespace {

constexpr std::string_view id_prefix = "resp_";
// long enough that signatures cannot be guessed, but so short that ids stay short
constexpr std::size_t signature_bytes = 16;

// The maximum length of an id. Providers' ids have about sixty bytes, and a target's name has a similar length.
constexpr std::size_t longest_id = 4096;

// The byte that separates a target's name from the provider's id. Names and ids contain only printable characters, so
// they never contain this byte.
constexpr char name_end = '\n';

}  // namespace

std::string response_ids::signature_of(std::string_view content, const digest& owner) const {
  std::string text("photofinish response id 1\n");
  text.append(as_text(owner)).append(content);
  digest made{};
  unsigned int size = 0;
  HMAC(EVP_sha256(), key_.reveal().data(), static_cast<int>(key_.reveal().size()),
       reinterpret_cast<const unsigned char*>(text.data()), text.size(), made.data(), &size);
  return std::string(as_text(made).substr(0, signature_bytes));
}

std::string response_ids::sealed(const stored_response& kept, const digest& owner) const {
  const std::string content = kept.target.text() + name_end + kept.id;
  const std::string bytes = signature_of(content, owner) + content;
  return std::string(id_prefix) + proxy::base64url_encoded(bytes);
}

std::optional<stored_response> response_ids::opened(std::string_view id, const digest& owner) const {
  if (!id.starts_with(id_prefix) || id.size() > longest_id) return std::nullopt;
  const std::string bytes = proxy::base64url_decoded(id.substr(id_prefix.size()));
  if (bytes.size() <= signature_bytes) return std::nullopt;
  const std::string_view content = std::string_view(bytes).substr(signature_bytes);
  const std::string_view signature = std::string_view(bytes).substr(0, signature_bytes);
  if (!equal_in_constant_time(signature, signature_of(content, owner))) return std::nullopt;
  const std::size_t slash = content.find('/'), end = content.find(name_end);
  if (slash == std::string_view::npos || end == std::string_view::npos || slash > end) return std::nullopt;
  stored_response kept{{std::string(content.substr(0, slash)), std::string(content.substr(slash + 1, end - slash - 1))},
                       std::string(content.substr(end + 1))};
  return kept;
}

}  // namespace photofinish::gateway
