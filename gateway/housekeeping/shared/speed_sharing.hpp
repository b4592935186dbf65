// Shares the speeds of targets between gateways, as sketches: compact distributions that can be merged without error.
// There is a sketch for each quarter of a minute. [pure] Each gateway writes its own measurements after a quarter
// minute has ended. It reads the other gateways' measurements once, and a second time a little later because some of
// them arrive late. Data from a store is untrusted. Unknown targets, times outside the quarter minute and impossible
// counts are dropped.
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

  // The maximum size of one gateway's data for a quarter minute, in bytes.
  static constexpr std::size_t longest_post = 256u << 10;
  static constexpr std::size_t most_gateways = 200;
  // The number of past quarter minutes that a gateway reads when it starts. They cover half an hour.
  static constexpr std::int64_t remembered = 120;
  // The time for which the store keeps the data of a quarter minute.
  static constexpr std::chrono::seconds life{2700};

  // `gateway` is the unique name of this process in the store. A quarter minute has 15 ticks.
  speed_sharing(std::string gateway, std::chrono::milliseconds tick) : gateway_(std::move(gateway)), tick_(tick) {}

  // Sets the targets of a configuration. Data about other targets is dropped.
  void adopt(std::set<std::string> targets);
  void forget();  // drops all data about the previous store; must be called if another store is configured

  // Adds a measurement that this gateway has made.
  void note(const racing::target_sample& sample, wall_time now);

  struct post {
    std::int64_t quarter = 0;
    std::string bytes;
  };
  // Returns the data that must be written to the store, or null if there is no new data. The data stays the same until
  // it is written or expires.
  const post* due(wall_time now);
  void written() { open_.reset(); }
  // Returns the numbers of the quarter minutes whose data must be read now, at most two. After reading the data of a
  // quarter minute, the caller must call heard().
  std::vector<std::int64_t> to_read(wall_time now) const;

  struct learned {
    racing::stats_window figures;
    std::string gateway;
    // True if the data is older than this gateway's start. Such data may come from an earlier process of this gateway.
    bool is_old = false;
  };
  // Returns the new data in `reply`, which is the store's reply to the command HGETALL. `refused` counts the gateways
  // whose data was dropped.
  std::vector<learned> heard(std::int64_t quarter, const store_reply& reply, wall_time now, std::uint64_t& refused);

  // A sample of a speed for the forecast. A few such samples represent all measurements of the other gateways. If this
  // gateway itself measures a target often enough, no samples are made for this target.
  struct forecast_step {
    std::string target;
    racing::attempt_event step;
  };
  std::vector<forecast_step> steps_of(const learned& what, wall_time wall, racing::instant now);

 private:
  struct reading {
    std::set<std::string> seen;  // the gateways whose data for this quarter minute was already read
    int times = 0;
  };
  struct own_count {
    std::int64_t quarter = 0;
    // The number of this gateway's samples in the current and in the previous quarter minute.
    std::uint64_t now = 0, before = 0;
    std::uint64_t given = 0;             // the number of other gateways' samples that the forecast has received
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
  // The quarter minute in which this gateway started, and the oldest quarter minute that has been read so far.
  std::int64_t first_ = 0, next_old_ = 0;
  std::map<std::string, own_count> counts_;
  std::uint64_t attempts_ = 0;
};

}  // namespace photofinish::gateway
