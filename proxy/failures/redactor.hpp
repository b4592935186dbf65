// Removes secrets from an untrusted text. The comment on the class redactor lists the forms of a secret that are found.
// A redactor is built once from all secrets that may occur. It reads each text once, regardless of the number of
// secrets. [pure]
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
// upper or lower case, percent-encoded, in base64, or escaped as in JSON. If a cut text ends with the beginning of a
// secret, that part is also replaced. A shorter secret is replaced only if it is a whole word, because it may be part
// of ordinary words. Some values are never treated as secrets: a single character, a number below 1000, and words such
// as `true` and `EMPTY`.
class redactor {
 public:
  redactor() = default;
  explicit redactor(std::span<const secret> secrets);

  std::string redact(std::string_view text) const;
  void redact(failure& why) const;  // redacts all texts of a failure

 private:
  struct form {
    std::string text;        // the secret in lower case
    bool is_word = false;    // true if the secret is redacted only where it is a whole word
    std::size_t within = 0;  // 1 plus the index of the longest other form with which `text` begins; 0 if there is none

    bool operator<(const form& other) const;
  };

  void add(const secret& each);
  void add_form(std::string text, bool is_word);
  void link_forms();
  std::size_t match_at(std::string_view lower, std::size_t at) const;
  std::size_t cut_at_end(std::string_view lower) const;

  std::vector<form> forms_;       // the forms are sorted, without duplicates
  std::bitset<256> first_bytes_;  // the first byte of each form
  std::size_t longest_ = 0;
};

// Adds a header's value to the secrets. If the value contains other text next to the secret, also adds the secret
// alone: `Bearer KEY`, `Basic BASE64`, `name=KEY; …`.
void add_header_secrets(std::string_view value, std::vector<secret>& to);

std::string redact(std::string_view text, std::span<const secret> secrets);
void redact(failure& why, std::span<const secret> secrets);

}  // namespace photofinish::proxy
