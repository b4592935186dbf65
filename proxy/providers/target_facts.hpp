// The known facts about a model at one provider, and the facts that a route requires. Models with the same name at two
// providers may differ in their quantisation or limits, or one may end sooner. Plain data. [pure]
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace photofinish::proxy {

struct target_facts {
  std::string quantization;      // such as fp8, bf16; empty: not known
  std::uint64_t context = 0;     // tokens of a prompt and its answer together; 0: not known
  std::uint64_t max_output = 0;  // tokens of an answer; 0: not known
  std::string tier;              // the name that the operator gives a class of targets; empty: not known

  bool operator==(const target_facts&) const = default;
};

// A route's requirements. A target must meet every member that is set.
struct required_facts {
  std::vector<std::string> quantization;  // any of these is accepted; empty: all are accepted
  std::uint64_t min_context = 0;
  std::uint64_t min_output = 0;
  std::vector<std::string> tier;  // any of these is accepted; empty: all are accepted
  bool allows_unknown = false;    // if true, an unknown fact meets the requirement

  bool operator==(const required_facts&) const = default;
  bool is_empty() const { return quantization.empty() && tier.empty() && min_context == 0 && min_output == 0; }
};

}  // namespace photofinish::proxy
