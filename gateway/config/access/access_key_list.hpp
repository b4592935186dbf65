// The list of the gateway's own keys. A look-up takes the same time with thousands of keys as with two keys.
// [pure but for SHA-256]
#pragma once

#include "gateway/config/access/limit_settings.hpp"
#include "proxy/failures/secret.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace photofinish::gateway {

using key_digest = std::array<unsigned char, 32>;

key_digest digest_of_key(std::string_view key);  // returns the SHA-256 digest of the key

struct access_key {
  std::string name;  // the name of the key, which is the label `client` in metrics
  proxy::secret key;
  // The routes that the key may use; if empty, the key may use every route and call targets directly.
  std::vector<std::string> routes;
  std::vector<key_digest> hashes = {};  // the digests of additional keys with the same rights
  std::string team = {};                // the name of the team; empty if the key has no team
  limit_settings limits = {};
  std::map<std::string, limit_settings, std::less<>> by_route = {};
  std::optional<std::chrono::sys_seconds> expires = {};
  bool is_blocked = false;
  bool is_admin = false;  // if true, the caller may see the data of all callers
  // The name in a client certificate that identifies the same caller as the key. Empty if no certificate can replace
  // the key.
  std::string cert_subject = {};

  bool operator==(const access_key&) const = default;
  bool is_opened_by(const proxy::secret& presented) const;
};

// A list of keys in the order of the file. The strings of a key in the list never change.
class access_key_list {
 public:
  access_key_list() = default;
  access_key_list(std::initializer_list<access_key> all) {
    for (const access_key& each : all) push_back(each);
  }

  void push_back(access_key added);

  // Returns true if the key and `presented` have the same SHA-256 digest. The duration depends only on the length of
  // `presented`, so that it reveals nothing about the key.
  const access_key* find(const proxy::secret& presented) const;
  // Returns the first key with the digest, or null if there is none.
  const access_key* find(const key_digest& digest) const;

  // Finds the key whose certificate name equals one of the names in a client certificate, byte by byte. If several
  // names match, the first of `names` decides.
  const access_key* find_certificate(std::span<const std::string> names) const;

  bool empty() const { return keys_.empty(); }
  std::size_t size() const { return keys_.size(); }
  const access_key* data() const { return keys_.data(); }
  access_key& operator[](std::size_t at) { return keys_[at]; }
  const access_key& operator[](std::size_t at) const { return keys_[at]; }
  const access_key& at(std::size_t at) const { return keys_.at(at); }
  auto begin() const { return keys_.begin(); }
  auto end() const { return keys_.end(); }

  bool operator==(const access_key_list& other) const { return keys_ == other.keys_; }

 private:
  struct first_bytes {
    std::size_t operator()(const key_digest& digest) const;
  };

  std::vector<access_key> keys_;
  std::unordered_map<key_digest, std::size_t, first_bytes> places_;
  std::unordered_map<std::string, std::size_t> subjects_;
};

}  // namespace photofinish::gateway
