// Removes secrets from an untrusted text, whatever form they have. [pure] A redactor is built once from all secrets
// that may occur. Each text costs one pass, regardless of the number of secrets.
#pragma once

#include "proxy/failures/failure.hpp"
#include "proxy/failures/secret.hpp"

#include <bitset>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::proxy {

// Replaces secrets in texts. A secret of 8 characters or more becomes "[redacted]" wherever it occurs: unchanged, in
// any case, percent-encoded, in base64, or escaped as in JSON. The beginning of a secret at the cut end of a text is
// also replaced. A shorter secret counts only as a whole word, because it may be a part of ordinary words. A value that
// hides nothing does not count: a single character, a number below 1000, or a word like `true` or `EMPTY`.
class redactor {
 public:
  redactor() = default;
  explicit redactor(std::span<const secret> secrets);

  std::string redact(std::string_view text) const;
  void redact(failure& why) const;  // redacts every text of a failure

 private:
  struct form {
    std::string text;        // the secret in lower case
    bool is_word = false;    // true if the secret counts as a whole word only
    std::size_t within = 0;  // 0, or 1 plus the index of the longest other form that begins this form

    bool operator<(const form& other) const;
  };

  void add(const secret& each);
  void add_form(std::string text, bool is_word);
  void link_forms();
  std::size_t match_at(std::string_view lower, std::size_t at) const;
  std::size_t cut_at_end(std::string_view lower) const;

  std::vector<form> forms_;       // sorted and without duplicates
  std::bitset<256> first_bytes_;  // the bytes with which forms begin
  std::size_t longest_ = 0;
};

// Adds a header's value to the secrets. If it holds more than the secret, the secret alone is added as well: `Bearer
// KEY`, `Basic BASE64`, `name=KEY; …`.
void add_header_secrets(std::string_view value, std::vector<secret>& to);

std::string redact(std::string_view text, std::span<const secret> secrets);
void redact(failure& why, std::span<const secret> secrets);

}  // namespace photofinish::proxy
