#include "gateway/access/caller_digest.hpp"

#include <openssl/evp.h>

#include <string>

namespace photofinish::gateway {
namespace {

// Appends a part together with its length, so that two different lists of parts never produce the same text.
void append(std::string& text, std::string_view part) {
  text.append(std::to_string(part.size())).append(":").append(part);
}

}  // namespace

digest caller_digest(const caller& who, const presented_keys& presented) {
  std::string text;
  append(text, who.name());
  // An access key is represented by its name. Therefore it does not matter which header contained the key.
  const bool is_own = who.key != nullptr && presented.bearer && who.key->is_opened_by(*presented.bearer);
  append(text, presented.bearer && !is_own ? presented.bearer->reveal() : std::string_view{});
  for (const auto& [provider, key] : presented.by_provider) append(text, provider), append(text, key.reveal());
  digest made{};
  EVP_Digest(text.data(), text.size(), made.data(), nullptr, EVP_sha256(), nullptr);
  return made;
}

}  // namespace photofinish::gateway
