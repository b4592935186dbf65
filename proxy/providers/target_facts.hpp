// What is known of a model at one provider, since the same name at two of them may be another quantisation, or end
// sooner; and what a route requires of it. Plain data. [pure]
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace photofinish::proxy {

struct target_facts {
  std::string quantization;      // fp8, bf16; empty: not known
  std::uint64_t context = 0;     // tokens of a prompt and its answer; 0: not known
  std::uint64_t max_output = 0;  // tokens of an answer; 0: not known
  std::string tier;              // the operator's own word; empty: not known

  bool operator==(const target_facts&) const = default;
};

// Each that is set must hold.
struct required_facts {
  std::vector<std::string> quantization;  // one of these; empty: any
  std::uint64_t min_context = 0;
  std::uint64_t min_output = 0;
  std::vector<std::string> tier;  // likewise
  bool allows_unknown = false;    // a fact that is not known speaks against nothing

  bool operator==(const required_facts&) const = default;
  bool is_empty() const { return quantization.empty() && tier.empty() && min_context == 0 && min_output == 0; }
};

}  // namespace photofinish::proxy
