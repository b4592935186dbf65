#include "gateway/bench/report/data_report.hpp"

#include "gateway/bench/knee.hpp"
#include "proxy/words/decimal_text.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace photofinish::gateway::bench {
namespace {

using json = nlohmann::ordered_json;

struct statistic {
  const char* name;
  double distribution::* part;
};
constexpr std::array statistics{
    statistic{"p1", &distribution::p1},   statistic{"p5", &distribution::p5},   statistic{"p10", &distribution::p10},
    statistic{"p25", &distribution::p25}, statistic{"p50", &distribution::p50}, statistic{"p75", &distribution::p75},
    statistic{"p90", &distribution::p90}, statistic{"p95", &distribution::p95}, statistic{"p99", &distribution::p99},
    statistic{"min", &distribution::min}, statistic{"max", &distribution::max}, statistic{"std", &distribution::std}};

json metric_json(const metric& of) {
  json reported{{"unit", of.unit}, {"avg", of.avg}};
  if (!of.spread) return reported;
  for (const statistic& each : statistics) reported[each.name] = (*of.spread).*each.part;
  reported["count"] = of.spread->count;
  reported["sum"] = of.spread->avg * static_cast<double>(of.spread->count);
  return reported;
}

json config_json(const run_report& run, const load_level& level) {
  json load{{"concurrency", level.concurrency}};
  if (level.rate) {
    load["request_rate"] = *level.rate;
    load["arrival_pattern"] = run.plan.arrivals == arrival_pattern::poisson ? "poisson" : "constant";
  }
  if (level.replay_speed) load["replay_speed"] = *level.replay_speed;
  if (level.requests) load["request_count"] = *level.requests;
  if (run.plan.duration) load["duration_s"] = std::chrono::duration<double>(*run.plan.duration).count();
  load["warmup_request_count"] = level.warmup;
  json config{{"model", run.model}, {"url", run.url}, {"streaming", run.plan.mode == answer_mode::stream}};
  if (run.plan.prompts) config["prompts"] = run.plan.prompts->prompts.size();
  else config["isl"] = run.plan.input_tokens;
  config["osl"] = run.plan.max_tokens;
  config["random_seed"] = run.plan.seed;
  config["loadgen"] = load;
  return config;
}

json errors_json(const level_report& level) {
  json errors = json::array();
  for (const error_count& each : level.errors)
    errors.push_back({{"error_details", {{"code", each.code}, {"type", each.type}, {"message", each.message}}},
                      {"count", each.count}});
  return errors;
}

json cached_json(const cached_input& of) {
  json reported{{"request_count", of.requests}, {"tokens", of.tokens}, {"share", of.share}};
  const auto add = [&](const char* name, const std::optional<distribution>& spread) {
    if (spread) reported[name] = {{"unit", "ms"}, {"count", spread->count}, {"p50", spread->p50}, {"p95", spread->p95}};
  };
  add("time_to_first_token", of.ttft);
  add("uncached_time_to_first_token", of.uncached_ttft);
  return reported;
}

json level_json(const run_report& run, const level_report& level) {
  json reported{{"level", level.level.name()}};
  for (const metric& each : level.metrics) reported[std::string(each.tag)] = metric_json(each);
  reported["input_config"] = config_json(run, level.level);
  reported["was_cancelled"] = level.end == level_end::interrupted;
  reported["is_complete"] = level.end == level_end::complete || level.end == level_end::duration;
  reported["error_summary"] = errors_json(level);
  json own{{"version", run.version},           {"end", proxy::word_of(level.end)},
           {"cancelled", level.cancelled},     {"without_usage", level.without_usage},
           {"counted_by_tokenizer", level.by_tokenizer}, {"unmeasurable_speed", level.unmeasurable_speed},
           {"fresh_connections", level.fresh_connections}};
  if (!level.winners.empty()) own["winners"] = level.winners;
  if (level.late) own["late_starts"] = {{"request_count", level.late->requests}, {"max_ms", level.late->worst_ms}};
  if (level.cached) own["cached_input"] = cached_json(*level.cached);
  if (level.attempts_per_request) own["attempts_per_request"] = *level.attempts_per_request;
  reported["photofinish"] = std::move(own);
  return reported;
}

json load_json(const load_level& level) {
  json load{{"level", level.name()}, {"concurrency", level.concurrency}};
  if (level.rate) load["request_rate"] = *level.rate;
  if (level.replay_speed) load["replay_speed"] = *level.replay_speed;
  return load;
}

json knee_json(const run_report& run) {
  const knee found = knee_of(run.levels);
  json reported{{"state", proxy::word_of(found.state)}, {"words", words_of(found, run.levels)}};
  const auto add_level = [&](const char* name, const std::optional<std::size_t>& index) {
    reported[name] = index ? load_json(run.levels[*index].level) : json(nullptr);
  };
  add_level("lowest_load", found.lowest_load);
  add_level("keeps_up_at", found.keeps_up_at);
  add_level("bends_at", found.bends_at);
  add_level("kept_up_again_at", found.kept_up_again_at);
  reported["reasons"] = json::array();
  for (const knee_reason& each : found.reasons) {
    json why{{"metric", each.tag}, {"value", each.value}, {"limit", each.limit}, {"unit", each.unit}};
    if (!each.statistic.empty()) why["statistic"] = each.statistic;
    if (each.at_lowest_load) why["at_lowest_load"] = *each.at_lowest_load;
    reported["reasons"].push_back(std::move(why));
  }
  return reported;
}

// Returns the name of a metric's column. The name of a plain count contains no unit, as in AIPerf's files.
std::string csv_name(const metric& of) {
  std::string name(of.header);
  if (of.unit != "requests") name += " (" + std::string(of.unit) + ")";
  return name;
}

std::string csv_number(double value) { return proxy::fixed_text(value, 2); }

constexpr std::string_view csv_columns = "Metric,avg,min,max,sum,p1,p5,p10,p25,p50,p75,p90,p95,p99,std";

std::string csv_spread(const metric& of) {
  const distribution& all = *of.spread;
  std::string row = csv_number(all.avg) + "," + csv_number(all.min) + "," + csv_number(all.max) + "," +
                    csv_number(all.avg * static_cast<double>(all.count));
  for (const statistic& each : statistics)
    if (each.name[0] == 'p') row += "," + csv_number(all.*each.part);
  return row + "," + csv_number(all.std);
}

std::vector<const metric*> sorted_by_name(const level_report& level) {
  std::vector<const metric*> sorted;
  for (const metric& each : level.metrics) sorted.push_back(&each);
  std::sort(sorted.begin(), sorted.end(), [](const metric* a, const metric* b) { return a->tag < b->tag; });
  return sorted;
}

json record_json(const run_report& run, const request_record& record) {
  const auto wall = [&](proxy::instant at) { return run.clock.unix_ns(at); };
  json metadata{{"session_num", record.number},
                {"x_request_id", record.request_id},
                {"credit_issued_ns", wall(record.due_at)},
                {"request_start_ns", wall(record.started_at)},
                {"request_ack_ns", nullptr},
                {"request_end_ns", wall(record.ended_at)},
                {"benchmark_phase", record.phase == run_phase::warmup ? "warmup" : "profiling"},
                {"was_cancelled", record.was_cancelled()}};
  if (record.seen.first_byte_at) metadata["request_ack_ns"] = wall(*record.seen.first_byte_at);
  if (!record.winner.empty()) metadata["x_race_winner"] = record.winner;
  json reported{{"metadata", metadata}, {"metrics", json::object()}, {"error", nullptr}};
  if (record.error) {
    reported["error"] = {{"code", record.was_cancelled() ? 499 : record.status},
                     {"type", to_string(record.error->kind)},
                     {"message", record.error->detail}};
    return reported;
  }
  const request_figures request = figures_of(record);
  for (const figure& each : figures()) {
    const auto value = request.value(each);
    if (value) reported["metrics"][std::string(each.tag)] = {{"value", *value}, {"unit", each.unit}};
  }
  if (!request.chunk_gaps_ms.empty())
    reported["metrics"]["inter_chunk_latency"] = {{"value", request.chunk_gaps_ms}, {"unit", "ms"}};
  return reported;
}

std::string text_of(const json& value, int indent) {
  return value.dump(indent, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string write_level_json(const run_report& run, const level_report& level) {
  return text_of(level_json(run, level), 2);
}

std::string write_json(const run_report& run) {
  json reported{{"photofinish_version", run.version},
            {"url", run.url},
            {"model", run.model},
            {"start_time", run.clock.iso(run.begun_at)},
            {"end_time", run.clock.iso(run.ended_at)},
            {"was_cancelled", run.was_cancelled()},
            {"used_tokens", {{"input", run.used.input}, {"output", run.used.output}}}};
  if (run.used.cached_input > 0) reported["used_tokens"]["cached_input"] = run.used.cached_input;
  if (run.cost_usd) reported["cost_usd"] = *run.cost_usd;
  reported["knee"] = knee_json(run);
  reported["notes"] = notes_of(run);
  reported["levels"] = json::array();
  for (const level_report& level : run.levels) reported["levels"].push_back(level_json(run, level));
  return text_of(reported, 2);
}

std::string write_csv(const run_report& run) {
  std::string text = "Level," + std::string(csv_columns) + "\n";
  for (const level_report& level : run.levels)
    for (const metric* each : sorted_by_name(level))
      text += level.level.name() + "," + csv_name(*each) + "," +
              (each->spread ? csv_spread(*each) : csv_number(each->avg) + std::string(13, ',')) + "\n";
  return text;
}

std::string write_level_csv(const level_report& level) {
  std::string spreads = std::string(csv_columns) + "\n";
  std::string values = "\nMetric,Value\n";
  for (const metric* each : sorted_by_name(level)) {
    if (each->spread) spreads += csv_name(*each) + "," + csv_spread(*each) + "\n";
    else values += csv_name(*each) + "," + csv_number(each->avg) + "\n";
  }
  return spreads + values;
}

std::string write_records(const run_report& run, std::span<const request_record> records) {
  std::string text;
  for (const request_record& each : records) text += text_of(record_json(run, each), -1);
  return text;
}

}  // namespace photofinish::gateway::bench
