#include "gateway/housekeeping/shared/name_watch.hpp"

namespace photofinish::gateway {

std::map<std::string, std::vector<std::string>> name_watch::note(const std::vector<fleet_entry>& running,
                                                                 std::chrono::sys_seconds now) {
  std::map<std::string, std::vector<std::string>> runs;
  for (const fleet_entry& each : running) runs[each.name].push_back(each.run);
  std::erase_if(runs, [](const auto& each) { return each.second.size() < 2; });
  std::erase_if(since_, [&](const auto& each) { return !runs.contains(each.first); });
  std::erase_if(shared_, [&](const std::string& name) { return !runs.contains(name); });
  std::erase_if(runs, [&](const auto& each) {
    const auto since = since_.try_emplace(each.first, now).first->second;
    return now - since < patience || !shared_.insert(each.first).second;
  });
  return runs;
}

std::string name_watch::note_for(const std::string& only) const {
  if (only.empty() ? shared_.empty() : !shared_.contains(only)) return {};
  return "several gateways have the name " + (only.empty() ? *shared_.begin() : only) +
         ": give each its own `instance`";
}

}  // namespace photofinish::gateway
