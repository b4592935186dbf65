// All clouds of one model's race group. They are reached through one HTTP proxy, which knows each cloud by its real host name. In each
// turn, all clouds get the request. The cloud that should win answers after all clouds have checked their requests. The other clouds stay
// silent.
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
  // Creates simulated clouds for a built-in race group. Throws an exception if no simulation exists for a target of the group.
  explicit raced_clouds(const std::string& group);

  // Adds a route for the group, and a provider for each cloud, based on the cloud's preset.
  void add_to(gateway::config& settings, proxy::upstream_stream stream) const;

  std::vector<std::string> names() const;  // targets in the same order as in the race group
  void begin_turn(const std::string& winner);

  // The faults that the simulated clouds found in the requests of all turns. Each entry contains the name of the target.
  std::vector<std::string> faults() const;
  // Returns the body that the given target received in the current turn, or an empty text.
  std::string body_at(const std::string& target) const;
  // Returns the signature or encrypted text of the given target's last answer with tool calls.
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
  scripted_provider network_;                  // must be the last member, because its threads use the other members
};

}  // namespace photofinish::testing
