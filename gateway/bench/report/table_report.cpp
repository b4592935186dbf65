#include "gateway/bench/report/table_report.hpp"

#include "gateway/bench/report/text_rows.hpp"

#include <string_view>

namespace photofinish::gateway::bench {
namespace {

std::string latencies(const run_report& run) {
  text_rows table{{"milliseconds", "TTFT p50", "p95", "p99", "ITL p50", "p95", "p99", "latency p50", "p95", "p99"}};
  for (const level_report& level : run.levels) {
    std::vector<std::string> row{level.level.name()};
    for (const std::string_view tag : {"time_to_first_token", "inter_token_latency", "request_latency"})
      for (const auto part : {&distribution::p50, &distribution::p95, &distribution::p99})
        row.push_back(shown(level.part(tag, part)));
    table.push_back(std::move(row));
  }
  return aligned(table);
}

std::string throughputs(const run_report& run) {
  const bool has_goodput = !run.plan.goodput.empty();
  text_rows table{{"throughput", "tok/s/user p50", "p5", "p1", "tok/s", "req/s", "ok", "failed", "errors %"}};
  if (has_goodput) table.front().push_back("goodput req/s");
  for (const level_report& level : run.levels) {
    std::vector<std::string> row{level.level.name()};
    for (const auto part : {&distribution::p50, &distribution::p5, &distribution::p1})
      row.push_back(shown(level.part("output_token_throughput_per_user", part)));
    row.push_back(shown(level.value("output_token_throughput")));
    row.push_back(shown(level.value("request_throughput")));
    row.push_back(std::to_string(level.succeeded));
    row.push_back(std::to_string(level.failed));
    row.push_back(shown(level.value("request_error_rate")));
    if (has_goodput) row.push_back(shown(level.value("goodput")));
    table.push_back(std::move(row));
  }
  return aligned(table);
}

constexpr std::string_view part_tags[] = {"output_speed_first_256", "output_speed_256_to_1024",
                                          "output_speed_beyond_1024"};

// Returns the table of speeds at the beginning, in the middle and at the end of answers. Returns an empty text if all
// answers were so short that they only have a beginning.
std::string parts(const run_report& run) {
  text_rows table{{"tok/s/user p50", "first 256", "256 to 1,024", "beyond"}};
  bool is_known = false;
  for (const level_report& level : run.levels) {
    std::vector<std::string> row{level.level.name()};
    for (const std::string_view tag : part_tags) {
      row.push_back(shown(level.part(tag, &distribution::p50)));
      is_known |= level.find(tag) != nullptr;
    }
    table.push_back(std::move(row));
  }
  return is_known ? aligned(table) + "\n" : "";
}

// Returns a table with all rows and columns that AIPerf shows. Only the report of a single level has enough room for
// such a table.
std::string all_metrics(const level_report& level) {
  text_rows table{{"Metric", "avg", "min", "max", "p99", "p95", "p90", "p50", "std"}};
  for (const metric& each : level.metrics) {
    std::vector<std::string> row{std::string(each.header) + " (" + std::string(each.unit) + ")"};
    row.push_back(number_text(each.avg));
    for (const auto part : {&distribution::min, &distribution::max, &distribution::p99, &distribution::p95,
                            &distribution::p90, &distribution::p50, &distribution::std})
      row.push_back(each.spread ? number_text((*each.spread).*part) : "");
    table.push_back(std::move(row));
  }
  return aligned(table);
}

}  // namespace

std::string write_table(const run_report& run) {
  if (run.levels.empty()) return "nothing was measured\n";
  std::string text = latencies(run) + "\n" + throughputs(run) + "\n" + parts(run);
  if (run.levels.size() == 1) text += all_metrics(run.levels.front()) + "\n";
  for (const std::string& note : notes_of(run)) text += "  " + note + "\n";
  return text;
}

}  // namespace photofinish::gateway::bench
