// Interprets the status, code, type and text of any provider's error. [pure] A status is trusted more than a code or
// a type, and both are trusted more than prose. Prose may quote the caller's own words. It therefore decides only if
// no code does, and its meaning never applies to other callers. If the provider refused the request, only recorded
// whole sentences count.
#pragma once

#include "proxy/failures/failure.hpp"

#include <string_view>

namespace photofinish::proxy {

struct error_words {
  int status = 0;  // an HTTP status of at least 400, or 0 if there is no status
  std::string_view code;
  std::string_view type;
  std::string_view message;
  std::string_view param = {};
};

struct error_meaning {
  failure_kind kind = failure_kind::server_error;
  int status = 0;  // the given status, or the word's status, or 0 if neither is known
  // A well-known code that the prose or the type implies. If it is empty, the provider's own code stays.
  std::string_view code = {};
  failure_scope scope = failure_scope::target;
};

error_meaning meaning_of(const error_words& words);

}  // namespace photofinish::proxy
