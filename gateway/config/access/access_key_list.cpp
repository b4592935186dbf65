#include "gateway/config/access/access_key_list.hpp"

#include <openssl/evp.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <utility>

namespace photofinish::gateway {

key_digest digest_of_key(std::string_view key) {
  // Fetches the algorithm only once. SHA256() and EVP_sha256() look it up by name at each call, which takes as long as
  // hashing a short key.
  static const std::unique_ptr<EVP_MD, decltype(&EVP_MD_free)> algorithm{EVP_MD_fetch(nullptr, "SHA256", nullptr),
                                                                         &EVP_MD_free};
  key_digest made{};
  if (EVP_Digest(key.data(), key.size(), made.data(), nullptr, algorithm.get(), nullptr) != 1)
    // An empty digest could match wrong keys, so this error must not be ignored.
    throw std::runtime_error("OpenSSL cannot compute SHA-256");
  return made;
}

bool access_key::is_opened_by(const proxy::secret& presented) const {
  if (presented.empty()) return false;
  if (presented == key) return true;
  return !hashes.empty() && std::find(hashes.begin(), hashes.end(), digest_of_key(presented.reveal())) != hashes.end();
}

// Uses the first eight bytes of the digest as the hash value, because all bytes of a digest are evenly distributed.
std::size_t access_key_list::first_bytes::operator()(const key_digest& digest) const {
  std::size_t hash = 0;
  std::memcpy(&hash, digest.data(), sizeof hash);
  return hash;
}

void access_key_list::push_back(access_key added) {
  if (!added.key.empty()) places_.emplace(digest_of_key(added.key.reveal()), keys_.size());
  for (const key_digest& each : added.hashes) places_.emplace(each, keys_.size());
  if (!added.cert_subject.empty()) subjects_.emplace(added.cert_subject, keys_.size());
  keys_.push_back(std::move(added));
}

const access_key* access_key_list::find_certificate(std::span<const std::string> names) const {
  if (subjects_.empty()) return nullptr;
  for (const std::string& name : names)
    if (const auto found = subjects_.find(name); found != subjects_.end()) return &keys_[found->second];
  return nullptr;
}

const access_key* access_key_list::find(const proxy::secret& presented) const {
  return keys_.empty() || presented.empty() ? nullptr : find(digest_of_key(presented.reveal()));
}

const access_key* access_key_list::find(const key_digest& digest) const {
  const auto found = places_.find(digest);
  return found == places_.end() ? nullptr : &keys_[found->second];
}

}  // namespace photofinish::gateway
