// Prints a list of models, and the differences of two lists, for people.
#pragma once

#include "gateway/config/config.hpp"

#include <chrono>
#include <functional>
#include <ostream>
#include <string>
#include <string_view>

namespace photofinish::gateway {

// Returns a text such as "input 2, cached_input 0.2, output 10, from 2026-12-01". "; " separates several prices.
std::string prices_text(const proxy::model_prices& prices);

// Prints the list's sources, and its providers with their numbers of models.
void show_list(const proxy::catalogue& list, std::ostream& out);

// Prints a provider's models, a model at all providers that list it, or one `provider/model`. A model may have a tier,
// as in `provider/model@priority`: the prices of all its tiers are printed. Returns false if there is none.
bool show_part(const proxy::catalogue& list, const std::string& word, std::ostream& out);

// Selects the names of a provider, and the clouds with betas, whose differences are printed.
struct shown_differences {
  std::function<bool(const std::string& provider, const std::string& name)> has_model;
  std::function<bool(const std::string& cloud)> has_cloud;
};

// Prints a line for each difference, and their number.
void show_differences(const proxy::catalogue& before, const proxy::catalogue& next, const shown_differences& shown,
                      std::ostream& out);

}  // namespace photofinish::gateway
