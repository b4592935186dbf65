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
  std::string name;  // name of the key, which is the label `client` in metrics
  proxy::secret key;
  std::vector<std::string> routes;  // routes that the key opens; if empty, it opens every route and direct targets
  std::vector<key_digest> hashes = {};  // digests of additional keys with the same rights
  std::string team = {};                // name of the team; empty if the key has no team
  limit_settings limits = {};
  std::map<std::string, limit_settings, std::less<>> by_route = {};
  std::optional<std::chrono::sys_seconds> expires = {};
  bool is_blocked = false;
  bool is_admin = false;  // if true, the caller sees the data of all callers
  // A name in a client certificate, which can be used in place of the key; empty if there is none.
  std::string cert_subject = {};

  bool operator==(const access_key&) const = default;
  bool is_opened_by(const proxy::secret& presented) const;
};

// A list of keys in the order of the file. The texts of a key do not change after the key is in the list.
class access_key_list {
 public:
  access_key_list() = default;
  access_key_list(std::initializer_list<access_key> all) {
    for (const access_key& each : all) push_back(each);
  }

  void push_back(access_key added);

  // Finds the key with the same SHA-256 digest. The time depends only on the length of `presented`.
  const access_key* find(const proxy::secret& presented) const;
  // Returns the first key with that digest, or null if there is none.
  const access_key* find(const key_digest& digest) const;

  // Compares a client certificate's names with the keys' names, byte by byte. The first of the certificate's names that
  // a key has decides.
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
