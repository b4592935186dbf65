#include "gateway/config/state_dir.hpp"

namespace photofinish::gateway {

std::string state_dir_of(const config& settings, const environment& machine) {
  if (settings.state_dir == "none") return {};
  if (!settings.state_dir.empty()) return settings.state_dir;
  if (const auto given = machine.variable("STATE_DIRECTORY")) return given->substr(0, given->find(':'));
  if (const auto home = machine.variable("XDG_STATE_HOME"); home && home->starts_with('/'))
    return *home + "/photofinish";
  if (const auto home = machine.variable("HOME"); home && home->starts_with('/'))
    return *home + "/.local/state/photofinish";
  return {};
}

}  // namespace photofinish::gateway
