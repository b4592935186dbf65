// The report for programs: JSON, CSV and JSON lines, with AIPerf's field names. [pure]
#pragma once

#include "gateway/bench/run_report.hpp"

#include <span>
#include <string>

namespace photofinish::gateway::bench {

// Writes the whole run. `levels` contains an object for each level, in the format of AIPerf's
// profile_export_aiperf.json.
std::string write_json(const run_report& run);
// Writes one row for each level and metric. The value of a rate is in `avg`.
std::string write_csv(const run_report& run);

// Writes one level as AIPerf exports a run: profile_export_aiperf.json and .csv.
std::string write_level_json(const run_report& run, const level_report& level);
std::string write_level_csv(const level_report& level);
// Writes profile_export.jsonl: a line for each of the level's requests, including warm-ups.
std::string write_records(const run_report& run, std::span<const request_record> records);

}  // namespace photofinish::gateway::bench
