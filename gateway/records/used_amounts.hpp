// Holds the total usage of several requests. [pure]
#pragma once

#include <cstdint>

namespace photofinish::gateway {

struct used_amounts {
  std::uint64_t requests = 0;
  std::uint64_t input_tokens = 0, output_tokens = 0;            // the tokens of winning attempts
  std::uint64_t lost_input_tokens = 0, lost_output_tokens = 0;  // the tokens of losing attempts that providers may bill
  std::uint64_t nano_usd = 0, lost_nano_usd = 0;

  bool operator==(const used_amounts&) const = default;

  void add(const used_amounts& more) {
    requests += more.requests;
    input_tokens += more.input_tokens;
    output_tokens += more.output_tokens;
    lost_input_tokens += more.lost_input_tokens;
    lost_output_tokens += more.lost_output_tokens;
    nano_usd += more.nano_usd;
    lost_nano_usd += more.lost_nano_usd;
  }
};

}  // namespace photofinish::gateway
