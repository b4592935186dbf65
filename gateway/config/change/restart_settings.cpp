#include "gateway/config/change/restart_settings.hpp"

namespace photofinish::gateway {

std::string settings_awaiting_restart(const config& started, const config& fresh) {
  std::string names;
  const auto note = [&](const char* name, bool differs) {
    if (differs) names += (names.empty() ? "" : ", ") + std::string(name);
  };
  note("listen", started.server.listen != fresh.server.listen);
  note("admin", started.server.admin != fresh.server.admin);
  note("workers", started.server.workers != fresh.server.workers);
  note("state_dir", started.state_dir != fresh.state_dir);
  note("limits.max_prefixes", started.limits.max_prefixes != fresh.limits.max_prefixes);
  note("log_format", started.log.format != fresh.log.format);
  return names;
}

}  // namespace photofinish::gateway
