// The mean number of tokens in the answers of a route. Requests are divided into classes by their token limit. Each
// class covers one power of two. [pure]
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace photofinish::racing {

class answer_lengths {
 public:
  // Class 0 is for requests without a limit, and class 23 for limits of 4M and more.
  static constexpr std::size_t classes = 24;

  void add(double output_tokens, std::optional<std::uint64_t> max_tokens);
  double expected(std::optional<std::uint64_t> max_tokens) const;

 private:
  static constexpr float assumed = 250;
  struct mean { float of = assumed; float samples = 1; };
  std::array<mean, classes> means_{};
};

}  // namespace photofinish::racing
