// Prints a list of models as text, or the differences between two lists.
#pragma once

#include "gateway/config/config.hpp"

#include <chrono>
#include <functional>
#include <ostream>
#include <string>
#include <string_view>

namespace photofinish::gateway {

// Returns a text such as "input 2, cached_input 0.2, output 10, from 2026-12-01". A semicolon separates several prices.
std::string prices_text(const proxy::model_prices& prices);

// Prints the sources of the list, and its providers with the number of models for each provider.
void show_list(const proxy::catalogue& list, std::ostream& out);

// Prints what the list contains about `word`: the models of a provider, a model at all providers that list it, or one
// `provider/model`. If the model's name ends in a tier, as in `provider/model@priority`, the prices of all its tiers
// are printed. Returns false if the list does not contain the name.
bool show_part(const proxy::catalogue& list, const std::string& word, std::ostream& out);

// Functions that decide which differences are printed. They return true if the difference must be printed. has_model()
// is called for differences of a model, and has_cloud() for differences of a cloud.
struct shown_differences {
  std::function<bool(const std::string& provider, const std::string& name)> has_model;
  std::function<bool(const std::string& cloud)> has_cloud;
};

// Prints a line for each difference, and the number of differences.
void show_differences(const proxy::catalogue& before, const proxy::catalogue& next, const shown_differences& shown,
                      std::ostream& out);

}  // namespace photofinish::gateway
