#include "gateway/commands/bench/scheduled.hpp"

#include "gateway/bench/schedule/schedule_player.hpp"
#include "gateway/bench/schedule/series.hpp"
#include "gateway/log/time_text.hpp"
#include "gateway/process/file_replacement.hpp"
#include "gateway/process/regular_file.hpp"
#include "proxy/providers/url.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <string>
#include <system_error>
#include <utility>
#include <variant>

namespace photofinish::gateway {

namespace fs = std::filesystem;
using namespace bench;
using std::chrono::sys_seconds;

namespace {

sys_seconds wall_now() { return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now()); }

// Waits until the given time. Reads the wall clock every 20 seconds, because the clock may be adjusted and the machine
// may sleep.
int wait_until(sys_seconds until) {
  constexpr std::chrono::seconds look_again{20};
  boost::asio::io_context loop(1);
  boost::asio::signal_set signals(loop, SIGINT, SIGTERM);
  boost::asio::steady_timer timer(loop);
  int interrupted_by = 0;
  signals.async_wait([&](const boost::system::error_code& ec, int signal) {
    if (ec) return;
    interrupted_by = signal;
    loop.stop();
  });
  while (interrupted_by == 0 && wall_now() < until) {
    timer.expires_after(std::min<std::chrono::seconds>(look_again, until - wall_now()));
    timer.async_wait([&](const boost::system::error_code&) { loop.stop(); });
    loop.restart();
    loop.run();
  }
  return interrupted_by;
}

// Locks a folder for one process. The system releases the lock when the process ends, even after a crash.
class folder_lock {
 public:
  explicit folder_lock(const fs::path& folder) : fd_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    is_held_ = fd_ >= 0 && ::flock(fd_, LOCK_EX | LOCK_NB) == 0;
  }
  folder_lock(const folder_lock&) = delete;
  folder_lock& operator=(const folder_lock&) = delete;
  ~folder_lock() {
    if (fd_ >= 0) ::close(fd_);
  }

  bool is_held() const { return is_held_; }

 private:
  int fd_;
  bool is_held_ = false;
};

// Returns the settings that must stay the same when a series of benchmark runs is continued. Keys and headers are left
// out.
std::string command_of(const bench_flags& flags, const std::vector<named_target>& targets) {
  std::string text;
  for (const named_target& each : targets)
    text += (text.empty() ? "" : " ") + proxy::to_string(each.to.provider.url) +
            (each.model.empty() ? "" : "#" + each.model);
  const auto add = [&](const char* option, const auto& numbers) {
    for (const auto& each : numbers) text += std::string(" ") + option + " " + std::to_string(each);
  };
  add("--concurrency", flags.options.concurrency);
  add("--rate", flags.options.rates);
  add("--input-tokens", flags.input_tokens);
  if (flags.options.requests) text += " --requests " + std::to_string(*flags.options.requests);
  if (!flags.options.duration.empty()) text += " --duration " + flags.options.duration;
  if (!flags.prompts_file.empty()) text += " --prompts " + flags.prompts_file;
  return text + " --max-tokens " + std::to_string(flags.options.max_tokens) + " --every " + flags.every + " --for " +
         flags.total;
}

std::string run_folder(std::size_t slot) {
  char name[32];
  std::snprintf(name, sizeof name, "run_%04zu", slot + 1);
  return name;
}

class scheduled_bench {
 public:
  scheduled_bench(const bench_flags& flags, const std::vector<named_target>& targets, const measure_function& measure)
      : flags_(flags), targets_(targets), measure_(measure), folder_(flags.places.folder) {}

  bench_outcome run() {
    const std::string problem = prepare();
    if (!problem.empty()) return wrong_usage({problem});
    const folder_lock lock(folder_);
    if (!lock.is_held()) return wrong_usage({"--output-dir: another process is writing its measurements "
                                             "into " + folder_.string()});
    if (std::string wrong = find_state(); !wrong.empty()) return wrong_usage({wrong});
    if (std::string wrong = keep(state_); !wrong.empty()) return wrong_usage({wrong});
    const schedule_hands hands{wall_now, wait_until, [this](std::size_t slot) { return measure_slot(slot); },
                               [this](const schedule_state& state) { return keep(state); },
                               [](const std::string& line) { std::cerr << line << "\n"; }};
    const schedule_end end = play(state_, hands);
    if (!end.problem.empty()) std::cerr << "error: " << end.problem << "\n";
    std::cout << "the series of all measurements so far: " << (folder_ / "series.html").string() << "\n";
    const bool has_measured = std::any_of(state_.runs.begin(), state_.runs.end(), [](const scheduled_run& each) {
      return each.state == slot_state::measured;
    });
    return {.exit_code = end.problem.empty() && has_measured ? 0 : bench_failed, .interrupted_by = end.interrupted_by};
  }

 private:
  std::string prepare() const {
    const output_places& places = flags_.places;
    if (flags_.every.empty() || flags_.total.empty()) return "--every and --for: give both, or neither";
    if (places.folder.empty()) return "--every: needs --output-dir, where the schedule is stored in case of a restart";
    if (!places.json_file.empty() || !places.csv_file.empty() || !places.html_file.empty())
      return "--every: writes into --output-dir only; omit --json, --csv and --html";
    std::error_code ec;
    fs::create_directories(folder_, ec);
    return ec ? "--output-dir: cannot create " + folder_.string() + ": " + ec.message() : "";
  }

  std::string find_state() {
    const std::string command = command_of(flags_, targets_);
    const fs::path file = folder_ / "schedule.json";
    std::error_code ec;
    if (!fs::exists(file, ec)) {
      auto made = make_schedule(flags_.every, flags_.total, wall_now());
      if (auto* problem = std::get_if<std::string>(&made)) return std::move(*problem);
      state_.schedule = std::get<run_schedule>(made);
      state_.command = command;
      state_.runs.resize(state_.schedule.slots);
      return {};
    }
    const file_content content = read_regular_file(file.string(), max_state_bytes);
    if (!content.problem.empty()) return "--output-dir: " + file.string() + " " + content.problem;
    auto read = read_state(content.text);
    if (const auto* problem = std::get_if<std::string>(&read)) return "--output-dir: " + file.string() + " " + *problem;
    state_ = std::get<schedule_state>(std::move(read));
    if (state_.command != command)
      return "--output-dir: " + folder_.string() + " holds the schedule of another command: " + state_.command;
    std::cerr << "continuing the schedule that began at " << second_text(state_.schedule.first_at) << "";
    return {};
  }

  std::string keep(const schedule_state& state) const {
    const std::pair<const char*, std::string> files[] = {{"series.json", write_series_json(state)},
                                                         {"series.html", write_series_page(state)},
                                                         {"schedule.json", write_state(state)}};
    for (const auto& [name, text] : files) {
      const std::string path = (folder_ / name).string();
      if (const std::string problem = replace_file(path, text); !problem.empty())
        return "cannot write " + path + ": " + problem;
    }
    return {};
  }

  slot_result measure_slot(std::size_t slot) {
    bench_flags flags = flags_;
    slot_result result;
    result.run.folder = run_folder(slot);
    result.run.begun_at = wall_now();
    flags.places.folder = (folder_ / result.run.folder).string();
    std::cerr << "run " << slot + 1 << " of " << state_.runs.size() << "\n";
    bench_outcome outcome = measure_(flags, targets_);
    result.interrupted_by = outcome.interrupted_by;
    result.run.state = outcome.has_report ? slot_state::measured : slot_state::failed;
    if (!outcome.has_report) result.run.folder.clear();
    result.run.cost_usd = outcome.cost_usd;
    result.run.figures = std::move(outcome.figures);
    return result;
  }

  const bench_flags& flags_;
  const std::vector<named_target>& targets_;
  const measure_function& measure_;
  const fs::path folder_;
  schedule_state state_;
};

}  // namespace

bench_outcome measure_scheduled(const bench_flags& flags, const std::vector<named_target>& targets,
                                const measure_function& measure) {
  return scheduled_bench(flags, targets, measure).run();
}

}  // namespace photofinish::gateway
