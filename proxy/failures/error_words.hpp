// What a provider's status, code, type and text mean, for any provider. [pure]
// A status is believed before a word, a code or type before prose; only a quota that is gone beats them all,
// because providers report it as 400, 402, 403 and 429 alike.
#pragma once

#include "proxy/failures/failure.hpp"

#include <string_view>

namespace photofinish::proxy {

struct error_words {
  int status = 0;  // an HTTP status of 400 or more; 0 when there is none
  std::string_view code;
  std::string_view type;
  std::string_view message;
};

struct error_meaning {
  failure_kind kind = failure_kind::server_error;
  int status = 0;  // as given, else the one that the word stands for; 0 when nothing tells
  std::string_view
      code;  // a well-known code that only the prose tells; empty when there is a code, or no such prose
};

error_meaning meaning_of(const error_words& words);

}  // namespace photofinish::proxy
