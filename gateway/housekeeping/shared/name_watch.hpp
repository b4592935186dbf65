// Detects gateways that run with the same name. This can happen because the default name is the host name, and hosts
// are sometimes copied. [pure]
#pragma once

#include "gateway/store/fleet_commands.hpp"

#include <chrono>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace photofinish::gateway {

class name_watch {
 public:
  // The time for which several gateways must have the same name before the name is reported. After the restart of a
  // killed process, its old entry remains for some seconds and has the same name.
  static constexpr std::chrono::seconds patience{30};

  // `running` contains the entries of the running gateways in the store. Returns the shared names that were not
  // reported before, and the processes that use each of these names.
  std::map<std::string, std::vector<std::string>> note(const std::vector<fleet_entry>& running,
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
  // Returns the names that several gateways have at the same time.
  const std::set<std::string>& shared() const { return shared_; }
  // Returns a warning about gateways with the same name, for the note in a report. `only` is the gateway that the
  // report is about. If it is empty, the report covers all gateways. Returns an empty text if no name in the report is
  // shared.
  std::string note_for(const std::string& only) const {
    if (only.empty() ? shared_.empty() : !shared_.contains(only)) return {};
    return "several gateways have the name " + (only.empty() ? *shared_.begin() : only) +
           ": give each gateway its own `instance`";
  }

 private:
  std::map<std::string, std::chrono::sys_seconds> since_;
  std::set<std::string> shared_;
};

}  // namespace photofinish::gateway
