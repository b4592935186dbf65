// The gateway's own keys. A look-up takes the same time among thousands of keys as among two. [pure but for SHA-256]
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

key_digest digest_of_key(std::string_view key);  // SHA-256 of the key

struct access_key {
  std::string name;  // the label `client` in metrics
  proxy::secret key;
  std::vector<std::string> routes;  // empty: every route, and direct targets
  std::vector<key_digest> hashes = {};  // digests of further keys with the same rights
  std::string team = {};                // empty: no team
  limit_settings limits = {};
  std::map<std::string, limit_settings, std::less<>> by_route = {};
  std::optional<std::chrono::sys_seconds> expires = {};
  bool is_blocked = false;
  bool is_admin = false;  // true: the caller sees the data of all callers
  std::string cert_subject = {};  // a client certificate with this name also opens the key; empty: none does

  bool operator==(const access_key&) const = default;
  bool is_opened_by(const proxy::secret& presented) const;
};

// Keys in the order of the file. A key's texts do not change after it is listed.
class access_key_list {
 public:
  access_key_list() = default;
  access_key_list(std::initializer_list<access_key> all) {
    for (const access_key& each : all) push_back(each);
  }

  void push_back(access_key added);

  // The time depends only on the length of `presented`, because SHA-256 digests are compared.
  const access_key* find(const proxy::secret& presented) const;
  // The first key with that digest; null if there is none.
  const access_key* find(const key_digest& digest) const;

  // Compares a client certificate's names byte by byte; of several names, uses the first that a key has.
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
