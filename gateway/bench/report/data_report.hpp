// The report for programs: JSON, CSV and JSON lines, by AIPerf's field names. [pure]
#pragma once

#include "gateway/bench/run_report.hpp"

#include <span>
#include <string>

namespace photofinish::gateway::bench {

// The whole run: `levels` holds one object for each, shaped like AIPerf's profile_export_aiperf.json.
std::string write_json(const run_report& run);
// One row for each level and metric; a rate has its value in `avg`.
std::string write_csv(const run_report& run);

// One level as AIPerf exports a run: profile_export_aiperf.json and .csv.
std::string write_level_json(const run_report& run, const level_report& level);
std::string write_level_csv(const level_report& level);
// profile_export.jsonl: a line for each of the level's requests, warm-ups too.
std::string write_records(const run_report& run, std::span<const request_record> records);

}  // namespace photofinish::gateway::bench
