// Writes the report for programs: JSON, CSV and JSON lines, with AIPerf's field names. [pure]
#pragma once

#include "gateway/bench/run_report.hpp"

#include <span>
#include <string>

namespace photofinish::gateway::bench {

// Writes the whole run as JSON. `levels` contains an object for each level, in the format of AIPerf's
// profile_export_aiperf.json.
std::string write_json(const run_report& run);
// Writes a CSV row for each level and metric. The column `avg` contains the value of a rate.
std::string write_csv(const run_report& run);

// Writes one level in the formats in which AIPerf exports a run: profile_export_aiperf.json and .csv.
std::string write_level_json(const run_report& run, const level_report& level);
std::string write_level_csv(const level_report& level);
// Writes profile_export.jsonl: a line for each of the level's requests, including warm-up requests.
std::string write_records(const run_report& run, std::span<const request_record> records);

}  // namespace photofinish::gateway::bench
