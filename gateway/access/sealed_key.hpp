// Keys that contain encrypted claims: the caller, the end of the key's life, limits, and keys of providers. The gateway
// does not store these keys. It opens each key with a secret of its configuration.
// A sealed key is "pfs1-", 8 hex digits that identify the secret, "-", and a text in base64url. The text consists of 24
// bytes of salt, the encrypted claims, and 16 bytes of tag.
// A sealed key contains no '=' and no ',', so that it counts as one plain token in any "API key" box.
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

constexpr std::size_t longest_sealed_key = 4096;  // intermediaries limit heads of requests to 8 kB

struct sealed_provider_key {
  std::string host;  // the only host to which the key is sent, because a name could point to another server
  proxy::secret key;

  bool operator==(const sealed_provider_key&) const = default;
};

struct sealed_claims {
  std::string audience, id, subject;
  std::string team = {};  // empty: none
  std::chrono::sys_seconds issued{}, expires{};
  std::vector<std::string> routes = {};  // empty: all
  limit_settings limits = {};            // these limits apply in addition to the team's; they contain no budget
  std::map<std::string, sealed_provider_key, std::less<>> keys = {};

  bool operator==(const sealed_claims&) const = default;
};

// True if the text has the prefix of a sealed key.
bool is_sealed_key(std::string_view text);

// Seals the claims. Throws if the system returns no random bytes. A result that is too long cannot be opened.
std::string seal(const sealed_claims& claims, const proxy::secret& by);

// Opens a sealed key. Returns nothing if no secret matches, or if a bit was changed. The caller cannot
// distinguish these cases.
std::optional<sealed_claims> open_sealed_key(std::string_view text, std::span<const proxy::secret> secrets);

}  // namespace photofinish::gateway
