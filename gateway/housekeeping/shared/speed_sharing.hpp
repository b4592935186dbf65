// The speeds of targets that gateways share: sketches for each quarter of a minute, which can be merged without error.
// [pure] Each gateway writes its own measurements after the quarter has ended. It reads the measurements of other
// gateways once, and again a little later because some posts are late. Data from a store is untrusted. Names that are
// not targets here, times outside the quarter and impossible counts are dropped.
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

  static constexpr std::size_t longest_post = 256u << 10;  // limit for the bytes of one gateway per quarter
  static constexpr std::size_t most_gateways = 200;
  // The number of past quarters that a gateway reads when it starts: half an hour.
  static constexpr std::int64_t remembered = 120;
  static constexpr std::chrono::seconds life{2700};        // the time for which the store keeps a quarter

  // `gateway` is the name of this run in the store. `tick` is a fifteenth of a quarter.
  speed_sharing(std::string gateway, std::chrono::milliseconds tick) : gateway_(std::move(gateway)), tick_(tick) {}

  // Sets the targets of a configuration. Figures of other targets are dropped.
  void adopt(std::set<std::string> targets);
  void forget();  // call forget() if another store is configured

  // Adds a measurement that this gateway has made.
  void note(const racing::target_sample& sample, wall_time now);

  struct post {
    std::int64_t quarter = 0;
    std::string bytes;
  };
  // Returns the post that must be written, or null if there is no new data. The post stays the same until it is
  // written or expires.
  const post* due(wall_time now);
  void written() { open_.reset(); }
  // Returns the quarters that must be read now, at most two. The caller then calls heard() for each quarter
  // that it could read.
  std::vector<std::int64_t> to_read(wall_time now) const;

  struct learned {
    racing::stats_window figures;
    std::string gateway;
    // True if the figures are older than this gateway's start. These figures may include this
    // gateway's own previous run.
    bool is_old = false;
  };
  // Returns the new figures in a reply to HGETALL. `refused` counts the figures that were dropped.
  std::vector<learned> heard(std::int64_t quarter, const store_reply& reply, wall_time now, std::uint64_t& refused);

  // A step for the forecast; a few steps represent all samples of other gateways. There are no steps for targets that
  // this gateway measures often enough itself.
  struct forecast_step {
    std::string target;
    racing::attempt_event step;
  };
  std::vector<forecast_step> steps_of(const learned& what, wall_time wall, racing::instant now);

 private:
  struct reading {
    std::set<std::string> seen;  // the gateways whose figures for this quarter were read
    int times = 0;
  };
  struct own_count {
    std::int64_t quarter = 0;
    std::uint64_t now = 0, before = 0;  // this gateway's samples in the current and the previous quarter
    std::uint64_t given = 0;             // samples of other gateways that the forecast has received
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
  // The quarter in which this gateway started, and the next older quarter that must be read.
  std::int64_t first_ = 0, next_old_ = 0;
  std::map<std::string, own_count> counts_;
  std::uint64_t attempts_ = 0;
};

}  // namespace photofinish::gateway
