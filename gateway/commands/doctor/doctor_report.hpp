// The results of `photofinish doctor`, as plain values, and as a table or JSON.
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
  std::string key;  // the text of key_label()
  bool works = false;
  diagnosis trouble = {};    // set if the target does not work
  std::string reason = {};  // the failure's name in metrics and logs, for example "auth"; empty: it works
  int status = 0;          // the provider's HTTP status if a failure has one
  std::vector<std::string> notes = {};
  std::optional<double> ttft_ms = {};
  std::optional<double> tokens_per_second = {};
  std::optional<std::uint64_t> input_tokens = {}, output_tokens = {};  // the provider's counts, otherwise estimates
  std::optional<double> cost_usd = {};  // none: the price is unknown
  proxy::rate_headroom limits = {};
  std::optional<std::string> ends = {};  // YYYY-MM-DD, from the provider's list of models
};

struct doctor_report {
  std::vector<examined_target> targets;
  std::vector<std::string> notes = {};  // notes about providers without a target

  bool all_work() const;
  double cost_usd() const;  // the sum of the known costs
};

void print_report(const doctor_report& report, std::ostream& out);
std::string report_json(const doctor_report& report);

}  // namespace photofinish::gateway
