// Interprets the status, code, type and text of any provider's error. A status is trusted more than a code or a type,
// and both are trusted more than the text. The text may quote the caller's own words. Therefore it decides only if no
// code does, and the result never applies to other callers. If the provider rejected the request, the text must begin
// with a recorded sentence. [pure]
#pragma once

#include "proxy/failures/failure.hpp"

#include <string_view>

namespace photofinish::proxy {

struct error_words {
  int status = 0;  // HTTP status of at least 400, or 0 if there is no status
  std::string_view code;
  std::string_view type;
  std::string_view message;
  std::string_view param = {};
};

struct error_meaning {
  failure_kind kind = failure_kind::server_error;
  int status = 0;  // the given status, else the status that the code or type stands for, else 0
  // A well-known code that the text or the type implies. If it is empty, the provider's own code is used.
  std::string_view code = {};
  failure_scope scope = failure_scope::target;
};

error_meaning meaning_of(const error_words& words);

}  // namespace photofinish::proxy
