// A list of models, and the differences of two lists, as text for people.
#pragma once

#include "gateway/config/config.hpp"

#include <chrono>
#include <functional>
#include <ostream>
#include <string>
#include <string_view>

namespace photofinish::gateway {

// "input 2, cached_input 0.2, output 10, from 2026-12-01"; several prices have "; " between them.
std::string prices_text(const proxy::model_prices& prices);

// The sources of a list, and its providers with the number of their models.
void show_list(const proxy::catalogue& list, std::ostream& out);

// A provider's models, or a model at each provider that lists it, or one `provider/model`. A model may have a tier, as
// in `provider/model@priority`: the prices of all its tiers are shown. False: there is none.
bool show_part(const proxy::catalogue& list, const std::string& word, std::ostream& out);

// The names of a provider, and the clouds with betas, whose differences are printed.
struct shown_differences {
  std::function<bool(const std::string& provider, const std::string& name)> has_model;
  std::function<bool(const std::string& cloud)> has_cloud;
};

// Prints a line for each difference, and a sum.
void show_differences(const proxy::catalogue& before, const proxy::catalogue& next, const shown_differences& shown,
                      std::ostream& out);

}  // namespace photofinish::gateway
