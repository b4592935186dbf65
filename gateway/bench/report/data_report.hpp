// Writes the report for programs: JSON, CSV and JSON lines, with AIPerf's field names. [pure]
#pragma once

#include "gateway/bench/run_report.hpp"

#include <span>
#include <string>

namespace photofinish::gateway::bench {

// Writes the whole run as JSON. Its member `levels` contains an object for each level, in the format of AIPerf's
// profile_export_aiperf.json.
std::string write_json(const run_report& run);
// Writes the run as CSV, with a row for each metric of each level. If a metric is a rate, the column `avg` contains its
// value.
std::string write_csv(const run_report& run);

// write_level_json() and write_level_csv() write one level in the formats in which AIPerf exports a run:
// profile_export_aiperf.json and .csv.
std::string write_level_json(const run_report& run, const level_report& level);
std::string write_level_csv(const level_report& level);
// Writes one level as profile_export.jsonl: a line for each request, including warm-up requests.
std::string write_records(const run_report& run, std::span<const request_record> records);

}  // namespace photofinish::gateway::bench
