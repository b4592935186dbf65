// All clouds of one model's race group, reached through one HTTP proxy, which knows each cloud by its real host name. Each turn asks all
// clouds. The cloud whose turn it is answers after the requests of all have been checked; the others stay silent.
#pragma once

#include "gateway/config/config.hpp"
#include "tests/integration/clouds/cloud_stand_in.hpp"
#include "tests/support/gateway/scripted_provider.hpp"

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace photofinish::testing {

class raced_clouds {
 public:
  // `group`: the name of a ready race group. Throws if one of its targets has no stand-in.
  explicit raced_clouds(const std::string& group);

  // Adds a provider for each cloud, from its preset, and the group's route.
  void add_to(gateway::config& settings, proxy::upstream_stream stream) const;

  std::vector<std::string> names() const;  // targets in the group's order
  void begin_turn(const std::string& winner);

  std::vector<std::string> faults() const;  // of all turns, each with its target
  // The body that the target got in this turn; empty if it was not asked.
  std::string body_at(const std::string& target) const;
  // The signature or encrypted text of the target's last answer that called tools.
  std::string last_reasoning(const std::string& target) const;

 private:
  void play(provider_call& call);
  void answer_or_wait(cloud_stand_in& cloud, provider_call& call);
  bool may_answer() const;
  bool has_faults() const;
  cloud_stand_in* cloud_at(const std::string& host) const;
  cloud_stand_in& cloud_named(const std::string& target) const;

  const std::string group_;
  std::vector<std::unique_ptr<cloud_stand_in>> clouds_;
  mutable std::mutex guard_;
  std::string winner_;
  std::vector<std::string> faults_;
  std::map<std::string, std::string> bodies_;  // by target
  scripted_provider network_;                  // last: its threads use the members above
};

}  // namespace photofinish::testing
