// Keys that contain encrypted claims: the caller, the expiry time, limits, and keys of providers. The gateway does not
// store these keys. It decrypts them with a secret from its configuration. A sealed key consists of "pfs1-", 8 hex
// digits that identify the secret, "-", and a text in base64url. This text contains 24 bytes of salt, the encrypted
// claims, and a tag of 16 bytes. A sealed key contains no '=' and no ',', so that it counts as one plain token in any
// "API key" box.
#pragma once

#include "gateway/config/access/limit_settings.hpp"
#include "proxy/failures/secret.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::gateway {

constexpr std::size_t longest_sealed_key = 4096;  // many proxies limit the head of a request to 8 kB

struct sealed_provider_key {
  std::string host;  // The only host to which the provider key may be sent. The provider's name alone is not enough,
                     // because a configuration may give the provider another URL.
  proxy::secret key;

  bool operator==(const sealed_provider_key&) const = default;
};

struct sealed_claims {
  std::string audience, id, subject;
  std::string team = {};  // empty: none
  std::chrono::sys_seconds issued{}, expires{};
  std::vector<std::string> routes = {};  // empty: all
  limit_settings limits = {};            // these limits apply in addition to the team's limits; they contain no budget
  std::map<std::string, sealed_provider_key, std::less<>> keys = {};

  bool operator==(const sealed_claims&) const = default;
};

// True if the text has the prefix of a sealed key.
bool is_sealed_key(std::string_view text);

// Seals the claims. Throws if the operating system returns no random bytes. The result may be too long;
// open_sealed_key() then refuses it.
std::string seal(const sealed_claims& claims, const proxy::secret& by);

// Decrypts a sealed key. Returns nothing if no secret matches, or if a bit was changed. The caller cannot distinguish
// these cases.
std::optional<sealed_claims> open_sealed_key(std::string_view text, std::span<const proxy::secret> secrets);

}  // namespace photofinish::gateway
