// Sends the configured probes, one at a time. Probes are requests that measure targets with hardly any client requests.
// They run on a separate thread, so that neither clients nor the housekeeper wait for them. The thread exists only if
// the setting `probes` is used.
#pragma once

#include "gateway/attempts/flight_counts.hpp"
#include "gateway/attempts/rate_room.hpp"
#include "gateway/config/config.hpp"
#include "gateway/credentials/credential_board.hpp"
#include "gateway/housekeeping/housekeeper.hpp"
#include "gateway/limits/bounds/usage_bounds.hpp"
#include "gateway/probes/probe_accounts.hpp"
#include "gateway/probes/probe_attempt.hpp"
#include "gateway/probes/probe_rules.hpp"
#include "gateway/probes/probe_schedule.hpp"
#include "metrics/merged_families.hpp"
#include "racing/forecast/attempt_event.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace photofinish::gateway {

// The objects from which the prober reads and to which it reports. They must outlive the prober.
struct probe_means {
  housekeeper& keeper;
  const std::atomic<std::size_t>& requests;  // the number of running client requests
  flight_counts& flights;
  rate_rooms& rooms;
  std::size_t workers = 1;
  std::string state_dir;  // the folder in which today's cost survives restarts; empty if the cost is not saved
};

class prober {
 public:
  explicit prober(probe_means by);
  prober(const prober&) = delete;
  prober& operator=(const prober&) = delete;
  ~prober() { stop(); }

  // Sets the settings that apply from now on. Any thread may call this function. The thread is started by the first
  // settings that contain probes.
  void adopt(std::shared_ptr<const config> settings);
  void adopt(std::shared_ptr<const credential_board> board);

  // Cancels the running probe. No further probes are sent. Any thread may call this function.
  void leave();
  void stop();  // calls leave(), and waits for the prober's thread to end; must not be called on that thread

  // Adds the metrics about probes to the metrics page. Any thread may call this function.
  void show(metrics::merged_families& page) const { accounts_.show(page); }

 private:
  // A running probe, with the data that is needed to report its result.
  struct sent_probe {
    std::shared_ptr<const config> settings;
    race_candidate chosen;
    std::size_t input_tokens = 0;
    std::size_t in_flight = 1;  // the number of running attempts at the target, including this probe
    std::uint64_t number = 0;
    std::int64_t reserved = 0;  // the amount that was reserved for the probe, in nano-dollars
  };

  void take(std::shared_ptr<const config> settings);
  void take_credentials(std::shared_ptr<const credential_board> board);
  void warn_of_unpriced(const std::vector<std::string>& targets) const;
  boost::asio::awaitable<void> tend();
  boost::asio::awaitable<void> pause();
  boost::asio::awaitable<void> consider(probe_pair pair);
  boost::asio::awaitable<probe_surroundings> look_around(race_candidate chosen, std::chrono::milliseconds every);
  bool reserve(sent_probe& probe);
  boost::asio::awaitable<void> send(sent_probe probe);
  boost::asio::awaitable<probe_attempt_answer> measure(const sent_probe& probe);
  static void cut_usage(const sent_probe& probe, const request_extent& extent, proxy::stream_summary& seen);
  racing::attempt_event step_of(const sent_probe& probe, racing::attempt_step what, racing::instant started_at,
                                racing::instant at) const;
  void tell_statistics(const sent_probe& probe, const probe_attempt_answer& answer);
  void tell_forecast(const sent_probe& probe, const probe_attempt_answer& answer);
  void settle(const sent_probe& probe, const probe_attempt_answer& answer);
  void note_answered(const sent_probe& probe, std::chrono::milliseconds every);
  std::uint64_t answered_since(const std::string& target, racing::instant then) const;

  const probe_means by_;
  const std::uint64_t seed_;  // the seed for random prompts and random times
  boost::asio::io_context loop_{1};

  // Only the prober's thread uses the members below.
  std::shared_ptr<const config> settings_;  // the current settings; null until the first settings arrive
  std::shared_ptr<const proxy::redactor> secrets_;
  std::unique_ptr<proxy::outbound> over_;
  credential_view credentials_;
  probe_schedule schedule_;
  probe_accounts accounts_;
  boost::asio::steady_timer timer_{loop_};
  // The times of answers, by target. A time is kept while the target's statistics may still include the answer.
  std::map<std::string, std::deque<racing::instant>> answered_;
  probe_attempt* running_ = nullptr;
  bool is_stopping_ = false;
  std::uint64_t number_ = 0;

  std::mutex thread_guard_;
  std::shared_ptr<const credential_board> early_board_;  // the credentials that arrived before the prober's thread was
                                                         // started
  std::thread thread_;  // the thread starts when probes are configured
};

}  // namespace photofinish::gateway
