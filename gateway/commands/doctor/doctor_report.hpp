// The results of `photofinish doctor`, as plain values, as a table and as JSON.
#pragma once

#include "gateway/commands/doctor/findings.hpp"
#include "proxy/failures/rate_headroom.hpp"

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace photofinish::gateway {

struct examined_target {
  std::string target;
  std::string key;  // the source of the target's key, never the key itself
  bool works = false;
  diagnosis trouble = {};    // the diagnosis if the target does not work
  std::string reason = {};  // the failure's name in metrics and logs, for example "auth"; empty if the target works
  int status = 0;          // the HTTP status of the provider's answer; 0 if there is none
  std::vector<std::string> notes = {};
  std::optional<double> ttft_ms = {};
  std::optional<double> tokens_per_second = {};
  // The token counts that the provider reported, or estimates if it reported none.
  std::optional<std::uint64_t> input_tokens = {}, output_tokens = {};
  std::optional<double> cost_usd = {};  // the cost in USD; empty if the price is unknown
  proxy::rate_headroom limits = {};
  std::optional<std::string> ends = {};  // the date on which the provider retires the model (YYYY-MM-DD), from the
                                         // provider's list of models
};

struct doctor_report {
  std::vector<examined_target> targets;
  std::vector<std::string> notes = {};  // notes about providers that have no target

  bool all_work() const;
  double cost_usd() const;  // the sum of the costs that are known
};

void print_report(const doctor_report& report, std::ostream& out);
std::string report_json(const doctor_report& report);

}  // namespace photofinish::gateway
