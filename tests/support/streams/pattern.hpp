// Matches extended regular expressions of POSIX. Tests use it because std::regex does not compile without warnings under the sanitizers.
#pragma once

#include <regex.h>

#include <gtest/gtest.h>

#include <string>

namespace photofinish::tests {

// True if the pattern occurs anywhere in the text.
inline bool has_match(const std::string& pattern, const std::string& text) {
  regex_t compiled;
  if (regcomp(&compiled, pattern.c_str(), REG_EXTENDED | REG_NOSUB) != 0) {
    ADD_FAILURE() << "no regular expression: " << pattern;
    return false;
  }
  const bool is_found = regexec(&compiled, text.c_str(), 0, nullptr, 0) == 0;
  regfree(&compiled);
  return is_found;
}

}  // namespace photofinish::tests
