// What a provider's status, code, type and text mean, for any provider. [pure]
// A status is believed before a word, a code or type before prose. Prose may quote the caller's own words: it decides
// only if no code does, never for other callers, and in a refused request only by whole sentences that were recorded.
#pragma once

#include "proxy/failures/failure.hpp"

#include <string_view>

namespace photofinish::proxy {

struct error_words {
  int status = 0;  // an HTTP status of 400 or more; 0 when there is none
  std::string_view code;
  std::string_view type;
  std::string_view message;
  std::string_view param = {};
};

struct error_meaning {
  failure_kind kind = failure_kind::server_error;
  int status = 0;  // as given, else the one that the word stands for; 0 when nothing tells
  std::string_view code = {};  // a well-known code that the prose or the type tells; empty: the provider's own stays
  failure_scope scope = failure_scope::target;
};

error_meaning meaning_of(const error_words& words);

}  // namespace photofinish::proxy
