#include "gateway/bench/run_report.hpp"

#include "gateway/bench/knee.hpp"
#include "gateway/log/time_text.hpp"

#include <algorithm>

namespace photofinish::gateway::bench {
namespace {

std::string percent(std::size_t part, std::size_t all) {
  return number_text(100 * static_cast<double>(part) / static_cast<double>(all)) + " %";
}

class note_taker {
 public:
  explicit note_taker(const run_report& run) : run_(run) {}

  std::vector<std::string> take() {
    if (run_.levels.empty()) return {};
    if (run_.levels.size() > 1) notes_.push_back(words_of(knee_of(run_.levels), run_.levels));
    for (const level_report& level : run_.levels) take_level(level);
    take_method();
    take_spending();
    return std::move(notes_);
  }

 private:
  void add(const level_report& level, const std::string& what) { notes_.push_back(level.level.name() + ": " + what); }

  void take_level(const level_report& level) {
    if (level.end == level_end::interrupted)
      add(level, "interrupted; " + requests_text(level.cancelled) + " cancelled");
    if (level.end == level_end::spend_cap)
      add(level, "stopped by the spending cap: one more request might have exceeded the cap");
    take_race(level);
    for (const error_count& each : level.errors)
      if (each.code != 499) add(level, requests_text(each.count) + " failed: " + error_text(each));
    if (level.without_usage > 0)
      add(level, "the endpoint reported no token usage for " + requests_text(level.without_usage) + " of " +
                     std::to_string(level.succeeded) + ": figures about tokens do not include these requests");
    if (level.by_tokenizer > 0)
      add(level, "the bench itself counted the tokens of " + requests_text(level.by_tokenizer) +
                     " (with o200k_base), because the endpoint reported no token usage");
    if (level.unmeasurable_speed > 0)
      add(level, "no output speed for " + requests_text(level.unmeasurable_speed) +
                     ": the speed is not measured if an answer is shorter than 16 tokens or 50 ms, or arrives in one "
                     "burst");
    if (level.late)
      add(level, requests_text(level.late->requests) + " started up to " + number_text(level.late->worst_ms) +
                     " ms late: the --concurrency limit or this machine caused the delay");
    if (level.cached) add(level, cached_text(*level.cached));
    if (level.fresh_connections > 0)
      add(level, requests_text(level.fresh_connections) + " of " + std::to_string(level.succeeded + level.failed) +
                     " opened a new connection: their TTFT includes the time to connect");
  }

  void take_race(const level_report& level) {
    if (level.winners.empty()) return;
    std::size_t all = 0;
    for (const auto& [name, count] : level.winners) all += count;
    std::vector<std::pair<std::string, std::size_t>> sorted(level.winners.begin(), level.winners.end());
    std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    std::string text = "won by ";
    for (const auto& [name, count] : sorted)
      text += (name == sorted.front().first ? "" : ", ") + name + " " + percent(count, all);
    if (level.attempts_per_request) text += "; " + number_text(*level.attempts_per_request) + " attempts per request";
    add(level, text);
  }

  void take_method() {
    if (run_.plan.prompts)
      notes_.push_back("prompts from your file: " + std::to_string(run_.plan.prompts->prompts.size()) +
                       "; the endpoint's cache may contain prompts of earlier runs");
    if (run_.levels.front().level.is_open())
      notes_.push_back("open loop: latencies are measured from the scheduled send time and include late starts");
    const bool is_small = std::any_of(run_.levels.begin(), run_.levels.end(), [](const level_report& each) {
      return each.succeeded > 0 && each.succeeded < 100;
    });
    if (is_small)
      notes_.push_back("with fewer than 100 requests, the p99 is close to the slowest request: raise --requests for a "
                       "reliable p99");
  }

  void take_spending() {
    const bool is_known = std::all_of(run_.levels.begin(), run_.levels.end(), [](const level_report& each) {
      return each.without_usage == 0 && each.failed == 0 && each.cancelled == 0;
    });
    std::string text = std::string(is_known ? "" : "at most ") + std::to_string(run_.used.input) +
                       " input tokens and " + std::to_string(run_.used.output) + " output tokens, including warm-ups";
    if (run_.used.cached_input > 0)
      text += "; " + std::to_string(run_.used.cached_input) + " of the input tokens were cached";
    if (run_.cost_usd) text += "; " + number_text(*run_.cost_usd) + " USD";
    notes_.push_back(text);
  }

  const run_report& run_;
  std::vector<std::string> notes_;
};

}  // namespace

std::int64_t wall_clock::unix_ns(proxy::instant at) const {
  const auto then = wall + std::chrono::duration_cast<std::chrono::system_clock::duration>(at - steady);
  return std::chrono::duration_cast<std::chrono::nanoseconds>(then.time_since_epoch()).count();
}

std::string wall_clock::iso(proxy::instant at) const {
  return second_text(std::chrono::sys_seconds(std::chrono::seconds(unix_ns(at) / 1'000'000'000)));
}

std::string requests_text(std::size_t count) { return std::to_string(count) + (count == 1 ? " request" : " requests"); }

std::string cached_text(const cached_input& of) {
  std::string text = requests_text(of.requests) + " found at least half of their input in the endpoint's cache (" +
                     number_text(100 * of.share) + " % of all input tokens)";
  if (of.ttft) text += "; TTFT p50 " + number_text(of.ttft->p50) + " ms";
  if (of.ttft && of.uncached_ttft)
    text += "; TTFT p50 of the other requests " + number_text(of.uncached_ttft->p50) + " ms";
  return text;
}

std::string error_text(const error_count& each) {
  std::string text = each.type;
  if (each.code != 0) text += " (HTTP " + std::to_string(each.code) + ")";
  return each.message.empty() ? text : text + ": " + each.message;
}

std::vector<std::string> notes_of(const run_report& run) { return note_taker(run).take(); }

}  // namespace photofinish::gateway::bench
