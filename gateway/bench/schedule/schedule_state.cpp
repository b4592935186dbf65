#include "gateway/bench/schedule/schedule_state.hpp"

#include <nlohmann/json.hpp>

#include <array>
#include <stdexcept>
#include <utility>

namespace photofinish::gateway::bench {
namespace {

using json = nlohmann::ordered_json;
using std::chrono::seconds;
using std::chrono::sys_seconds;

constexpr std::array<std::pair<const char*, std::optional<double> series_figures::*>, 6> figure_names{{
    {"ttft_p50_ms", &series_figures::ttft_p50},
    {"ttft_p95_ms", &series_figures::ttft_p95},
    {"tokens_per_second_p50", &series_figures::speed_p50},
    {"tokens_per_second_p5", &series_figures::speed_p5},
    {"finish_p50_ms", &series_figures::finish_p50},
    {"error_percent", &series_figures::error_percent},
}};

std::int64_t unix_seconds(sys_seconds at) { return at.time_since_epoch().count(); }
sys_seconds from_unix(std::int64_t count) { return sys_seconds(seconds(count)); }

json run_json(const scheduled_run& run) {
  json kept{{"state", proxy::word_of(run.state)}};
  if (run.begun_at) kept["begun_at"] = unix_seconds(*run.begun_at);
  if (!run.folder.empty()) kept["folder"] = run.folder;
  if (run.cost_usd) kept["cost_usd"] = *run.cost_usd;
  kept["figures"] = json::array();
  for (const series_figures& each : run.figures) {
    json figures{{"group", each.group}, {"name", each.name}};
    for (const auto& [name, member] : figure_names)
      if (each.*member) figures[name] = *(each.*member);
    kept["figures"].push_back(std::move(figures));
  }
  return kept;
}

scheduled_run run_of(const json& kept) {
  scheduled_run run;
  run.state = proxy::parse_word<slot_state>(kept.at("state").get<std::string>()).value();
  if (kept.contains("begun_at")) run.begun_at = from_unix(kept.at("begun_at").get<std::int64_t>());
  run.folder = kept.value("folder", "");
  if (kept.contains("cost_usd")) run.cost_usd = kept.at("cost_usd").get<double>();
  for (const json& each : kept.at("figures")) {
    series_figures figures{.group = each.at("group").get<std::string>(), .name = each.at("name").get<std::string>()};
    for (const auto& [name, member] : figure_names)
      if (each.contains(name)) figures.*member = each.at(name).get<double>();
    run.figures.push_back(std::move(figures));
  }
  return run;
}

schedule_state state_of(const json& kept) {
  schedule_state state;
  state.schedule.first_at = from_unix(kept.at("first_at").get<std::int64_t>());
  state.schedule.every = seconds(kept.at("every_s").get<std::int64_t>());
  state.command = kept.at("command").get<std::string>();
  for (const json& each : kept.at("runs")) state.runs.push_back(run_of(each));
  state.schedule.slots = state.runs.size();
  if (state.runs.empty() || state.runs.size() > most_slots || state.schedule.every < seconds(1))
    throw std::invalid_argument("impossible");
  return state;
}

}  // namespace

std::vector<slot_state> schedule_state::slots() const {
  std::vector<slot_state> all;
  for (const scheduled_run& each : runs) all.push_back(each.state);
  return all;
}

std::string write_state(const schedule_state& state) {
  json kept{{"schedule_version", schedule_version},
            {"first_at", unix_seconds(state.schedule.first_at)},
            {"every_s", state.schedule.every.count()},
            {"command", state.command},
            {"runs", json::array()}};
  for (const scheduled_run& each : state.runs) kept["runs"].push_back(run_json(each));
  return kept.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

std::variant<schedule_state, std::string> read_state(std::string_view text) {
  const json kept = json::parse(text, nullptr, false);
  if (!kept.is_object() || !kept.contains("schedule_version")) return "does not contain the state of a schedule";
  if (kept["schedule_version"] != schedule_version) return "was written by an incompatible version of photofinish";
  try {
    return state_of(kept);
  } catch (const std::exception&) {
    return "is damaged";
  }
}

}  // namespace photofinish::gateway::bench
