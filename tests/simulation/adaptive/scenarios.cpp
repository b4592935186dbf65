#include "tests/simulation/adaptive/scenarios.hpp"

#include <algorithm>
#include <stdexcept>

namespace photofinish::racing {
namespace {

true_target usual(double median, std::uint32_t vendor) {
  true_target made;
  made.median = median;
  made.vendor = vendor;
  return made;
}

true_target heavy(double median, double spread, std::uint32_t vendor) {
  true_target made = usual(median, vendor);
  made.spread = spread;
  made.stall_share = 0;
  return made;
}

scenario named(std::string name, std::vector<true_target> targets) {
  scenario made;
  made.name = std::move(name);
  made.targets = std::move(targets);
  return made;
}

// Sets the number of requests so that a change of `seconds` seconds affects the share `part` of all requests.
void set_length(scenario& each, double seconds, double part) {
  each.requests = static_cast<std::size_t>(seconds / part * each.rate);
}

std::vector<scenario> steady_ones() {
  std::vector<scenario> made;
  made.push_back(named("stalls", {usual(0.54, 0), usual(0.64, 1)}));
  made.push_back(named("heavy", {heavy(0.6, 0.8, 0), heavy(0.65, 0.8, 1), heavy(0.7, 0.8, 2)}));
  made.push_back(named("unequal", {usual(0.8, 0), usual(0.4, 1)}));
  scenario& limit = made.emplace_back(named("rate-limit", {heavy(0.2, 0.2, 0), heavy(0.5, 0.3, 1)}));
  limit.targets[0].quick_per_minute = 60;
  limit.targets[0].limited_median = 2.2;
  limit.targets[1].stall_share = 0.01;
  limit.rate = 3.2;
  scenario& tide = made.emplace_back(named("diurnal", {usual(0.77, 0), usual(0.9, 1), usual(1, 2)}));
  for (std::size_t k = 0; k < 3; ++k) {
    tide.targets[k].tide = 0.5;
    tide.targets[k].tide_phase = 2.0943951 * static_cast<double>(k);
  }
  tide.rate = 2;
  tide.requests = 7'200;
  scenario& vendors = made.emplace_back(named("vendors", {usual(0.55, 0), usual(0.55, 0), usual(0.6, 1)}));
  vendors.correlation = 0.7;
  scenario& full = made.emplace_back(named("full-bill", {heavy(0.5, 0.7, 0), heavy(0.55, 0.7, 1)}));
  for (true_target& each : full.targets) each.bills_losers_in_full = true;
  scenario& cheap = made.emplace_back(named("cheapest", {usual(0.4, 0), usual(0.7, 1)}));
  cheap.targets[0].price = 4;
  cheap.sort = target_sort::cost;
  return made;
}

std::vector<scenario> changing_ones() {
  const std::vector<true_target> three{usual(0.5, 0), usual(0.65, 1), usual(0.9, 2)};
  std::vector<scenario> made;
  scenario& slow = made.emplace_back(named("slow-3x", three));
  slow.targets[0].spells = {{.from = 400, .to = 1'000, .factor = 3}};
  set_length(slow, 600, 0.36);
  scenario& errors = made.emplace_back(named("outage-errors", {usual(0.45, 0), usual(0.6, 1)}));
  errors.targets[0].spells = {{.from = 200, .to = 500, .error_share = 1}};
  set_length(errors, 300, 0.44);
  scenario& hang = made.emplace_back(named("outage-hang", {usual(0.46, 0), usual(0.58, 1), usual(0.9, 2)}));
  hang.targets[0].spells = {{.from = 300, .to = 600, .hang_share = 1}};
  set_length(hang, 300, 0.34);
  scenario& part = made.emplace_back(named("partial-hang", {usual(0.5, 0), usual(0.8, 1)}));
  part.targets[0].spells = {{.from = 300, .to = 600, .hang_share = 0.4}};
  set_length(part, 300, 0.357);
  scenario& storm = made.emplace_back(named("storm", {usual(0.5, 0), usual(0.65, 1)}));
  for (true_target& each : storm.targets) each.spells = {{.from = 300, .to = 600, .hang_share = 0.3}};
  set_length(storm, 300, 0.33);
  scenario& all = made.emplace_back(named("all-slow", three));
  for (true_target& each : all.targets) each.spells = {{.from = 400, .to = 700, .factor = 4}};
  set_length(all, 300, 0.24);
  scenario& quiet = made.emplace_back(named("quiet", {usual(0.5, 0), usual(0.65, 1)}));
  quiet.rate = 0.1;
  quiet.targets[0].spells = {{.from = 10'000, .to = 20'000, .factor = 3}};
  set_length(quiet, 10'000, 0.36);
  return made;
}

std::vector<scenario> other_ones() {
  std::vector<scenario> made;
  scenario& engines = made.emplace_back(named("vllm", {usual(0.3, 0), usual(0.35, 1)}));
  for (true_target& each : engines.targets) {
    each.stall_share = 0;
    each.decode = 0.005;
    each.decode_load = 0.09;
    each.first_token_load = 0.06;
  }
  engines.sort = target_sort::finish;
  engines.rate = 5;
  engines.burst_rate = 12;
  engines.burst_seconds = 10;
  engines.burst_every = 60;
  scenario& finish = made.emplace_back(named("finish", {usual(0.15, 0), usual(0.5, 1)}));
  finish.targets[0].decode = 1 / 80.0;
  finish.targets[1].decode = 1 / 200.0;
  finish.sort = target_sort::finish;
  finish.answers = {{25, 0.4, 64}, {900, 0.4, 2'048}};
  scenario& prompts = made.emplace_back(named("prompts", {usual(0.3, 0), usual(0.6, 1)}));
  prompts.targets[0].rho = 0.3e-3;
  prompts.targets[1].rho = 0.03e-3;
  prompts.prompt_median = 2'000;
  prompts.prompt_spread = 1.5;
  scenario& cold = made.emplace_back(
      named("cold-6", {usual(1.2, 0), usual(2, 1), usual(0.5, 2), usual(0.8, 3), usual(1.6, 4), usual(1, 5)}));
  cold.requests = 3'000;
  return made;
}

}  // namespace

const std::vector<scenario>& all_scenarios() {
  static const std::vector<scenario> all = [] {
    std::vector<scenario> made = steady_ones();
    for (auto more : {changing_ones(), other_ones()}) made.insert(made.end(), more.begin(), more.end());
    return made;
  }();
  return all;
}

const scenario& find_scenario(std::string_view name) {
  const auto& all = all_scenarios();
  const auto found = std::find_if(all.begin(), all.end(), [name](const scenario& each) { return each.name == name; });
  if (found == all.end()) throw std::invalid_argument("there is no scenario " + std::string(name));
  return *found;
}

scenario varied(const scenario& original, std::uint64_t seed) {
  dice chance{seed, 7};
  const auto off = [&chance] { return 0.8 + 0.4 * chance.uniform(); };
  scenario made = original;
  made.rate *= off();
  for (true_target& each : made.targets) each.median *= off(), each.decode *= off();
  return made;
}

}  // namespace photofinish::racing
