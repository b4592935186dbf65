// A secret key. This class has no operator<<, no formatter and no to_string, so that no key is logged by accident.
// [pure]
#pragma once

#include <string>
#include <utility>

namespace photofinish::proxy {

class secret {
 public:
  secret() = default;
  explicit secret(std::string value) : value_(std::move(value)) {}

  bool empty() const { return value_.empty(); }
  // Returns the key. Use it only for the header that carries the key, for comparisons, and for redaction.
  const std::string& reveal() const { return value_; }

  bool operator==(const secret&) const = default;

 private:
  std::string value_;
};

}  // namespace photofinish::proxy
