// Writes the scorecard for programs: JSON, and CSV with a row for each endpoint and size. [pure]
#pragma once

#include "gateway/bench/scorecard/scorecard.hpp"

#include <span>
#include <string>

namespace photofinish::gateway::bench {

std::string write_card_json(const scorecard& card);
std::string write_card_csv(const scorecard& card);

// Writes the requests of one endpoint at one input size as profile_export.jsonl, in AIPerf's format.
std::string write_card_records(const scorecard& card, const card_cell& cell, std::span<const request_record> records);

}  // namespace photofinish::gateway::bench
