// Interprets the status, code, type and text of any provider's error. A status is trusted more than a code or a type,
// and both are trusted more than the text, because the text may quote the caller's own words. Therefore the text is
// used only if the codes do not identify the error, and the result then never applies to other callers. If the provider
// rejected the request, only a text that begins with a recorded sentence is used. [pure]
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
  int status = 0;  // the given status, or the status that the code or type implies; 0 if there is none
  // A well-known error code that matches the error's text or type. If it is empty, the provider's own code is used.
  std::string_view code = {};
  failure_scope scope = failure_scope::target;
};

error_meaning meaning_of(const error_words& words);

}  // namespace photofinish::proxy
