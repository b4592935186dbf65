// Recognizes the encrypted reasoning of other targets, for tests. Compares it with a list of known texts.
#pragma once

#include "proxy/dialects/foreign_reasoning.hpp"

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace photofinish::testing {

class known_reasoning final : public proxy::foreign_reasoning {
 public:
  explicit known_reasoning(std::set<std::string, std::less<>> foreign) : foreign_(std::move(foreign)) {}

  bool contains(std::string_view opaque) override {
    asked.emplace_back(opaque);
    return foreign_.contains(opaque);
  }

  std::vector<std::string> asked;

 private:
  const std::set<std::string, std::less<>> foreign_;
};

}  // namespace photofinish::testing
