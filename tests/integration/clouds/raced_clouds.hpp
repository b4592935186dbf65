// All clouds of one model's race group, reached through one HTTP proxy that knows each cloud by its real host name. All clouds get each
// turn. The cloud that should win answers after all requests have been checked, and the others stay silent.
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
  // Creates stand-ins for a built-in race group. Throws if one of its targets has no stand-in.
  explicit raced_clouds(const std::string& group);

  // Adds the group's route, and a provider for each cloud, based on its preset.
  void add_to(gateway::config& settings, proxy::upstream_stream stream) const;

  std::vector<std::string> names() const;  // targets in the same order as in the group
  void begin_turn(const std::string& winner);

  std::vector<std::string> faults() const;  // faults of all turns, each with its target's name
  // Returns the body that this target received in the current turn, or an empty text.
  std::string body_at(const std::string& target) const;
  // Returns the signature or encrypted text of this target's last answer with tool calls.
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
  scripted_provider network_;                  // the last member, because its threads use the other members
};

}  // namespace photofinish::testing
