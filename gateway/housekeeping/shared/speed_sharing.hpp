// What gateways share of targets' speed: sketches of a quarter of a minute each, which add up exactly. [pure]
// Each writes what it has measured itself, once the quarter has ended; each reads those of the others once, and again a
// little later for what came late. What a store says is a stranger's: names that are not targets here, times that are
// not of that quarter and counts that no gateway has are left out.
#pragma once

#include "gateway/store/store_reply.hpp"
#include "racing/forecast/attempt_event.hpp"
#include "racing/statistics/stats_window.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace photofinish::gateway {

class speed_sharing {
 public:
  using wall_time = racing::wall_time;

  static constexpr std::size_t longest_post = 256u << 10;  // bytes of one gateway in one quarter
  static constexpr std::size_t most_gateways = 200;
  static constexpr std::int64_t remembered = 120;          // quarters that a gateway reads when it starts: half an hour
  static constexpr std::chrono::seconds life{2700};        // of a quarter in the store

  // `gateway`: this run's name. `tick`: a fifteenth of a quarter.
  speed_sharing(std::string gateway, std::chrono::milliseconds tick) : gateway_(std::move(gateway)), tick_(tick) {}

  // Those of a configuration; nothing else is taken.
  void adopt(std::set<std::string> targets);
  void forget();  // another store

  // What was measured here.
  void note(const racing::target_sample& sample, wall_time now);

  struct post {
    std::int64_t quarter = 0;
    std::string bytes;
  };
  // What is to be written: the same until it is written, or too late. None: nothing new.
  const post* due(wall_time now);
  void written() { open_.reset(); }
  // Which quarters are to be read now, at most two; then heard() is called for each that could be.
  std::vector<std::int64_t> to_read(wall_time now) const;

  struct learned {
    racing::stats_window figures;
    std::string gateway;
    bool is_old = false;  // from before this gateway began: its own run before may be among them
  };
  // What is new of HGETALL's reply. `refused` counts what was left out.
  std::vector<learned> heard(std::int64_t quarter, const store_reply& reply, wall_time now, std::uint64_t& refused);

  // What the forecast learns of it: few samples that stand for all, and none of targets that this gateway measures
  // enough itself.
  struct forecast_step {
    std::string target;
    racing::attempt_event step;
  };
  std::vector<forecast_step> steps_of(const learned& what, wall_time wall, racing::instant now);

 private:
  struct reading {
    std::set<std::string> seen;  // gateways
    int times = 0;
  };
  struct own_count {
    std::int64_t quarter = 0;
    std::uint64_t now = 0, before = 0;  // samples in this quarter, and in the one before
    std::uint64_t given = 0;             // that others' figures have given to the forecast
  };

  std::chrono::milliseconds length() const { return 15 * tick_; }
  std::int64_t quarter_of(wall_time when) const { return when.time_since_epoch() / length(); }
  bool is_plausible(const racing::stats_window& figures, std::int64_t quarter) const;
  std::optional<racing::stats_window> read_one(std::int64_t quarter, const std::string& bytes) const;
  own_count& count_of(const std::string& target, wall_time now);

  const std::string gateway_;
  const std::chrono::milliseconds tick_;
  std::set<std::string> targets_;
  racing::stats_window pending_;
  std::int64_t pending_quarter_ = 0;
  std::optional<post> open_;
  std::map<std::int64_t, reading> readings_;
  std::int64_t first_ = 0, next_old_ = 0;  // the quarter in which it began; of those before, the next
  std::map<std::string, own_count> counts_;
  std::uint64_t attempts_ = 0;
};

}  // namespace photofinish::gateway
