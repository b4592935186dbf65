// Finds the known facts about a model at a provider: its efforts, its limits, and whether only the Responses API serves
// it. [pure but for yaml-cpp] For each fact, three sources are tried in this order: the rows of model_facts.yaml that
// contain a reason, the model's entry in the current catalogue, and all other rows of model_facts.yaml
// (docs/decisions/0087).
#pragma once

#include "proxy/providers/model_rows.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace photofinish::proxy {

struct found_facts {
  known_efforts efforts;
  token_limits known;            // the model's limits at this provider
  std::uint64_t max_output = 0;  // the highest answer limit to send; a higher limit is lowered; 0 if unknown
  bool is_responses_only = false;

  auto operator<=>(const found_facts&) const = default;
};

class fact_rows {
 public:
  // `is_own_api` is true if only vendors and their clouds serve the API. In that case, the limits in model_facts.yaml
  // apply at every host of the API.
  fact_rows(std::vector<fact_row> all, bool is_own_api);

  // `dashed` must be the model's name in lower case, with each dot replaced by a dash.
  found_facts find(const asked_model& asked, std::string_view dashed) const;

 private:
  std::vector<fact_row> exceptions_;  // the rows of model_facts.yaml that have priority over the catalogue
  std::vector<fact_row> patterns_;
  bool is_own_api_;
};

}  // namespace photofinish::proxy
