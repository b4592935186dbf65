#include "gateway/simulator/plan/phases.hpp"

#include <algorithm>
#include <utility>

namespace photofinish::gateway::simulator {
namespace {

proxy::failure not_a_phase(std::string_view text, const std::string& why) {
  return client_fault(400, {}, "a phase is FROM-TO;setting;setting=value, as in 2m-4m;slow=3 or 90s-;hang, not `" +
                                   std::string(text) + "`: " + why);
}

std::string_view trimmed(std::string_view text) {
  const std::size_t from = std::min(text.find_first_not_of(" \t\r"), text.size());
  const std::size_t last = text.find_last_not_of(" \t\r");
  return last == std::string_view::npos ? std::string_view{} : text.substr(from, last + 1 - from);
}

bool read_times(std::string_view text, sim_phase& into) {
  const std::size_t dash = text.find('-');
  if (dash == std::string_view::npos) return false;
  const std::string_view from = text.substr(0, dash), to = text.substr(dash + 1);
  if (!from.empty() && !read_sim_duration(from, into.from)) return false;
  if (to.empty()) return true;
  microseconds end{};
  if (!read_sim_duration(to, end) || end <= into.from) return false;
  into.to = end;
  return true;
}

}  // namespace

proxy::result<sim_phase> parse_phase(std::string_view text) {
  const std::size_t semicolon = std::min(text.find(';'), text.size());
  sim_phase made;
  if (!read_times(trimmed(text.substr(0, semicolon)), made))
    return not_a_phase(text, "its times are durations of at most an hour, the second after the first");
  made.settings = trimmed(text.substr(std::min(semicolon + 1, text.size())));
  if (made.settings.empty()) return not_a_phase(text, "it changes nothing");
  sim_behaviour ignored;
  if (auto applied = apply_settings(ignored, made.settings); !applied) return not_a_phase(text, applied.error().detail);
  return made;
}

proxy::result<std::vector<sim_phase>> parse_phases(std::string_view text) {
  std::vector<sim_phase> all;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view written = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::string_view line = trimmed(written.substr(0, written.find('#')));
    if (line.empty()) continue;
    auto phase = parse_phase(line);
    if (!phase) {
      proxy::failure why = phase.error();
      why.detail = "line " + std::to_string(number) + ": " + why.detail;
      return why;
    }
    all.push_back(*std::move(phase));
  }
  return all;
}

sim_behaviour behaviour_at(const sim_behaviour& usual, std::span<const sim_phase> phases, microseconds since_start) {
  sim_behaviour now = usual;
  for (const sim_phase& each : phases)
    // Applying the settings cannot fail, because they were checked when the phase was parsed.
    if (each.holds_at(since_start)) (void)apply_settings(now, each.settings);
  return now;
}

}  // namespace photofinish::gateway::simulator
