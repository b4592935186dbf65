// Finds the facts that lists contain about a model at a provider: efforts, limits, and whether only Responses serve it.
// For each fact the first of three sources counts: a row of model_facts.yaml with a reason, the model's row in the list
// in use, any other row of model_facts.yaml (docs/decisions/0087). [pure but for yaml-cpp]
#pragma once

#include "proxy/providers/model_rows.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace photofinish::proxy {

struct found_facts {
  known_efforts efforts;
  token_limits known;            // the model's limits at this provider
  std::uint64_t max_output = 0;  // the largest answer that requests ask for, in tokens; 0: not known
  bool is_responses_only = false;

  auto operator<=>(const found_facts&) const = default;
};

class fact_rows {
 public:
  // `is_own_api` is true if only vendors and their clouds serve the API, so that the limits of patterns apply
  // wherever it is served.
  fact_rows(std::vector<fact_row> all, bool is_own_api);

  // `dashed` is the model's name in lower case, with a dash for each dot.
  found_facts find(const asked_model& asked, std::string_view dashed) const;

 private:
  std::vector<fact_row> exceptions_;  // rows that count before the list
  std::vector<fact_row> patterns_;
  bool is_own_api_;
};

}  // namespace photofinish::proxy
