#include "gateway/bench/level_report.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace photofinish::gateway::bench {
namespace {

constexpr int client_closed_request = 499;  // AIPerf's status code for a cancelled request

class level_counter {
 public:
  level_counter(level_report& into, const std::vector<goodput_limit>& limits) : report_(into), limits_(limits) {}

  void add(const request_record& record) {
    first_start_ = std::min(first_start_, record.started_at);
    if (report_.level.replay_speed) add_start(record);
    if (record.was_cancelled()) {
      ++report_.cancelled;
      return add_error(record);
    }
    last_end_ = std::max(last_end_, record.ended_at);
    report_.fresh_connections += record.seen.connection == proxy::connection_used::fresh ? 1 : 0;
    if (record.error) {
      ++report_.failed;
      return add_error(record);
    }
    ++report_.succeeded;
    add_race(record);
    const request_figures figures = figures_of(record);
    add_figures(figures);
    add_cached(record, figures);
  }

  void finish() {
    for (std::size_t i = 0; i < figure_count; ++i) {
      const figure& each = figures()[i];
      add_spread(each.tag, each.header, each.unit, std::move(samples_[i]));
      if (figure_id(i) == figure_id::inter_token_latency)
        add_spread("inter_chunk_latency", "Inter Chunk Latency", "ms", std::move(gaps_));
    }
    add_rates();
    finish_cached();
    if (races_ > 0) report_.attempts_per_request = static_cast<double>(attempts_) / static_cast<double>(races_);
    std::stable_sort(report_.errors.begin(), report_.errors.end(),
                     [](const error_count& a, const error_count& b) { return a.count > b.count; });
  }

 private:
  void add_start(const request_record& record) {
    constexpr double late_ms = 10;
    const double behind = std::chrono::duration<double, std::milli>(record.started_at - record.due_at).count();
    if (behind <= late_ms) return;
    if (!report_.late) report_.late.emplace();
    ++report_.late->requests;
    report_.late->worst_ms = std::max(report_.late->worst_ms, behind);
  }

  void add_error(const request_record& record) {
    const int code = record.was_cancelled() ? client_closed_request : record.status;
    const std::string type(to_string(record.error->kind));
    const auto known = std::find_if(report_.errors.begin(), report_.errors.end(), [&](const error_count& each) {
      return each.code == code && each.type == type;
    });
    if (known != report_.errors.end()) ++known->count;
    else report_.errors.push_back({code, type, record.error->detail, 1});
  }

  void add_race(const request_record& record) {
    if (record.winner.empty()) return;
    ++report_.winners[record.winner];
    ++races_;
    attempts_ += record.attempts;
  }

  void add_cached(const request_record& record, const request_figures& figures) {
    const auto& usage = record.seen.usage;
    if (!usage) return;
    const bool is_cached = usage->cached_input_tokens > 0 && 2 * usage->cached_input_tokens >= usage->input_tokens;
    cached_.requests += is_cached ? 1 : 0;
    cached_.tokens += static_cast<double>(usage->cached_input_tokens);
    if (const auto ttft = figures.value(figure_id::time_to_first_token))
      (is_cached ? cached_ttft_ : uncached_ttft_).push_back(*ttft);
  }

  void finish_cached() {
    if (cached_.tokens <= 0) return;
    cached_.share = cached_.tokens / std::max(input_tokens_, cached_.tokens);
    cached_.ttft = distribution_of(std::move(cached_ttft_));
    cached_.uncached_ttft = distribution_of(std::move(uncached_ttft_));
    report_.cached = std::move(cached_);
  }

  void add_figures(const request_figures& request) {
    for (std::size_t i = 0; i < figure_count; ++i)
      if (request.values[i]) samples_[i].push_back(*request.values[i]);
    gaps_.insert(gaps_.end(), request.chunk_gaps_ms.begin(), request.chunk_gaps_ms.end());
    report_.without_usage += request.source == token_source::none ? 1 : 0;
    report_.by_tokenizer += request.source == token_source::tokenizer ? 1 : 0;
    const bool is_stream = request.value(figure_id::time_to_first_token).has_value();
    const bool has_speed = request.value(figure_id::output_token_throughput_per_user).has_value();
    if (is_stream && request.source != token_source::none && !has_speed) ++report_.unmeasurable_speed;
    input_tokens_ += request.value(figure_id::input_sequence_length).value_or(0);
    output_tokens_ += request.value(figure_id::output_sequence_length).value_or(0);
    if (!limits_.empty() && is_good(request, limits_)) ++good_;
  }

  void add_spread(std::string_view tag, std::string_view header, std::string_view unit, std::vector<double> samples) {
    const auto spread = distribution_of(std::move(samples));
    if (spread) report_.metrics.push_back({tag, header, unit, spread->avg, spread});
  }

  void add_value(std::string_view tag, std::string_view header, std::string_view unit, double value) {
    report_.metrics.push_back({tag, header, unit, value});
  }

  void add_rates() {
    const auto succeeded = static_cast<double>(report_.succeeded);
    const auto completed = static_cast<double>(report_.succeeded + report_.failed);
    const double seconds = completed > 0 ? std::chrono::duration<double>(last_end_ - first_start_).count() : 0;
    // If some requests have an unknown number of tokens, the sum of tokens is too small. In this case the report
    // contains no token rate.
    const bool has_tokens = report_.succeeded > 0 && report_.without_usage == 0;
    if (seconds > 0) {
      if (has_tokens)
        add_value("output_token_throughput", "Output Token Throughput", "tokens/sec", output_tokens_ / seconds);
      add_value("request_throughput", "Request Throughput", "requests/sec", succeeded / seconds);
      if (!limits_.empty()) add_value("goodput", "Goodput", "requests/sec", static_cast<double>(good_) / seconds);
    }
    if (!limits_.empty()) add_value("good_request_count", "Good Request Count", "requests", static_cast<double>(good_));
    add_value("request_count", "Request Count", "requests", succeeded);
    add_value("error_request_count", "Error Request Count", "requests", static_cast<double>(report_.failed));
    if (completed > 0)
      add_value("request_error_rate", "Request Error Rate", "%", 100 * static_cast<double>(report_.failed) / completed);
    if (has_tokens) {
      add_value("total_isl", "Total Input Sequence Length", "tokens", input_tokens_);
      add_value("total_osl", "Total Output Sequence Length", "tokens", output_tokens_);
    }
    add_value("benchmark_duration", "Benchmark Duration", "sec", seconds);
  }

  level_report& report_;
  const std::vector<goodput_limit>& limits_;
  proxy::instant first_start_ = proxy::instant::max();
  proxy::instant last_end_ = proxy::instant::min();
  std::array<std::vector<double>, figure_count> samples_;
  std::vector<double> gaps_;
  cached_input cached_;
  std::vector<double> cached_ttft_, uncached_ttft_;
  double input_tokens_ = 0;
  double output_tokens_ = 0;
  std::size_t good_ = 0;
  std::size_t races_ = 0;
  std::size_t attempts_ = 0;
};

}  // namespace

const metric* level_report::find(std::string_view tag) const {
  const auto found = std::find_if(metrics.begin(), metrics.end(), [&](const metric& each) { return each.tag == tag; });
  return found == metrics.end() ? nullptr : &*found;
}

std::optional<double> level_report::value(std::string_view tag) const {
  const metric* found = find(tag);
  return found ? std::optional(found->avg) : std::nullopt;
}

std::optional<double> level_report::part(std::string_view tag, double distribution::* which) const {
  const metric* found = find(tag);
  return found && found->spread ? std::optional((*found->spread).*which) : std::nullopt;
}

level_report report_of(const load_level& level, level_end end, std::span<const request_record> records,
                       const std::vector<goodput_limit>& limits) {
  level_report report{.level = level, .end = end};
  level_counter counter(report, limits);
  for (const request_record& each : records)
    if (each.phase == run_phase::profiling) counter.add(each);
  counter.finish();
  return report;
}

}  // namespace photofinish::gateway::bench
