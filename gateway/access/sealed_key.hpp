// Keys that carry their own claims, encrypted: who calls, until when, within which limits, and with which keys of
// providers. The gateway stores none of them; it opens each with a secret of its configuration.
//   pfs1-<8 hex digits: which secret>-<base64url of 24 bytes of salt, the claims encrypted, 16 bytes of tag>
// It holds no '=' and no ',', so that it stays one plain token in any "API key" box.
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

constexpr std::size_t longest_sealed_key = 4096;  // heads of requests end at 8 kB on the way

struct sealed_provider_key {
  std::string host;  // the provider's, or the key is not sent: a name could be pointed at another server
  proxy::secret key;

  bool operator==(const sealed_provider_key&) const = default;
};

struct sealed_claims {
  std::string audience, id, subject;
  std::string team = {};  // empty: none
  std::chrono::sys_seconds issued{}, expires{};
  std::vector<std::string> routes = {};  // empty: all
  limit_settings limits = {};            // beside those of the team; no budget
  std::map<std::string, sealed_provider_key, std::less<>> keys = {};

  bool operator==(const sealed_claims&) const = default;
};

// Whether it is meant to be one.
bool is_sealed_key(std::string_view text);

// Throws where the system gives no random bytes. It may be too long: then it opens nothing.
std::string seal(const sealed_claims& claims, const proxy::secret& by);

// None where no secret fits, or a bit was changed: both look the same.
std::optional<sealed_claims> open_sealed_key(std::string_view text, std::span<const proxy::secret> secrets);

}  // namespace photofinish::gateway
