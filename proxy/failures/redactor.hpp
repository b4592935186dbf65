// Takes secrets out of a stranger's text, however they are written there. [pure]
// Made once from all secrets that may turn up, then asked with each text: a text costs one pass, however many secrets
// there are.
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

// A secret of 8 characters or more becomes "[redacted]" wherever it stands: as it is, in any case, percent-encoded,
// in base64, or escaped as in JSON; so does the beginning of one that the end of the text cuts off. A shorter one
// counts as a whole word only, for it may be a part of ordinary words; and not at all where it hides nothing: a single
// character, a number below 1000, or a word like `true` or `EMPTY`.
class redactor {
 public:
  redactor() = default;
  explicit redactor(std::span<const secret> secrets);

  std::string redact(std::string_view text) const;
  void redact(failure& why) const;  // the same for every text of a failure

 private:
  struct form {
    std::string text;        // in lower case
    bool is_word = false;    // counts as a whole word only
    std::size_t within = 0;  // the longest other form that this one begins with, plus one; 0: there is none

    bool operator<(const form& other) const;
  };

  void add(const secret& each);
  void add_form(std::string text, bool is_word);
  void link_forms();
  std::size_t match_at(std::string_view lower, std::size_t at) const;
  std::size_t cut_at_end(std::string_view lower) const;

  std::vector<form> forms_;       // sorted, each once
  std::bitset<256> first_bytes_;  // of any form
  std::size_t longest_ = 0;
};

// Where a header's value holds more than the secret, the secret alone too: `Bearer KEY`, `Basic BASE64`, `name=KEY; …`.
void add_header_secrets(std::string_view value, std::vector<secret>& to);

std::string redact(std::string_view text, std::span<const secret> secrets);
void redact(failure& why, std::span<const secret> secrets);

}  // namespace photofinish::proxy
