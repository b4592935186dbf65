// Limits how many names may become label values. Names are admitted in the order in which they are declared, until the
// limit is reached. All workers share the limit, and a reload does not reset it. Therefore all shards either show a
// name or count it as `_other`. Any thread may use this class. A shard takes the lock when a name is new to the shard,
// but not for every request.
#pragma once

#include <cstddef>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

namespace photofinish::metrics {

struct series_limits {
  std::size_t providers = 200;
  std::size_t targets = 1000;  // in zero-config mode the limit is 100, because any client can add targets
  std::size_t routes = 1000;
  std::size_t clients = 1000;
  std::size_t teams = 1000;
  std::size_t guardrails = 50;
  std::size_t projects = 1000;
  std::size_t limits = 1000;
};

class series_budget {
 public:
  explicit series_budget(const series_limits& limits = {})
      : providers_(limits.providers),
        targets_(limits.targets),
        routes_(limits.routes),
        clients_(limits.clients),
        teams_(limits.teams),
        guardrails_(limits.guardrails),
        projects_(limits.projects),
        limits_(limits.limits) {}

  // True if the name may have its own series from now on. This requires that the name has a series already, or that the
  // name is a valid label value and the limit is not reached.
  bool admits_provider(std::string_view name) { return admits(providers_, name); }
  bool admits_target(std::string_view provider, std::string_view model);
  bool admits_route(std::string_view name) { return admits(routes_, name); }
  bool admits_client(std::string_view name) { return admits(clients_, name); }
  bool admits_team(std::string_view name) { return admits(teams_, name); }
  bool admits_guardrail(std::string_view name) { return admits(guardrails_, name); }
  bool admits_project(std::string_view name) { return admits(projects_, name); }
  bool admits_limit(std::string_view scope, std::string_view name);

 private:
  class name_set {
   public:
    explicit name_set(std::size_t limit) : limit_(limit) {}
    bool admits(std::string_view name);

   private:
    const std::size_t limit_;
    std::set<std::string, std::less<>> names_;
  };

  bool admits(name_set& names, std::string_view name);

  std::mutex mutex_;
  name_set providers_, targets_, routes_, clients_, teams_, guardrails_, projects_, limits_;
};

// True for 1 to 256 bytes of valid UTF-8. Prometheus drops a whole scrape if one label value is not UTF-8.
bool is_label_value(std::string_view text);

}  // namespace photofinish::metrics
