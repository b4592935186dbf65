// The known facts about a model at one provider, and the facts that a route requires. [pure] A model may differ between
// providers in its quantization, its limits or its end date. Plain data.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace photofinish::proxy {

struct target_facts {
  std::string quantization;      // the quantization, such as fp8 or bf16; empty if unknown
  std::uint64_t context = 0;     // the maximum size of a prompt and its answer together, in tokens; 0 if unknown
  std::uint64_t max_output = 0;  // the maximum size of an answer in tokens; 0 if unknown
  std::string tier;              // the operator's own name for the target's class, such as "paid"; empty if unknown

  bool operator==(const target_facts&) const = default;
};

// The requirements of a route. A target must meet all requirements that are set.
struct required_facts {
  std::vector<std::string> quantization;  // the accepted quantizations; if empty, all are accepted
  std::uint64_t min_context = 0;
  std::uint64_t min_output = 0;
  std::vector<std::string> tier;  // the accepted classes of targets; if empty, all are accepted
  bool allows_unknown = false;    // if true, a target whose fact is unknown also meets the requirement

  bool operator==(const required_facts&) const = default;
  bool is_empty() const { return quantization.empty() && tier.empty() && min_context == 0 && min_output == 0; }
};

}  // namespace photofinish::proxy
