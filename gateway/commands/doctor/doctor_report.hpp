// What `photofinish doctor` found, as plain values, and as a table or JSON.
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
  std::string key;  // key_label()
  bool works = false;
  diagnosis trouble = {};    // where it does not
  std::string reason = {};  // the word for it in metrics and logs: "auth"; empty: it works
  int status = 0;          // the provider's HTTP status, where a failure came with one
  std::vector<std::string> notes = {};
  std::optional<double> ttft_ms = {};
  std::optional<double> tokens_per_second = {};
  std::optional<std::uint64_t> input_tokens = {}, output_tokens = {};  // as the provider counted them, else estimated
  std::optional<double> cost_usd = {};  // none: its price is unknown
  proxy::rate_headroom limits = {};
  std::optional<std::string> ends = {};  // YYYY-MM-DD, as the provider's list of models reports it
};

struct doctor_report {
  std::vector<examined_target> targets;
  std::vector<std::string> notes = {};  // of providers without a target

  bool all_work() const;
  double cost_usd() const;  // of those whose price is known
};

void print_report(const doctor_report& report, std::ostream& out);
std::string report_json(const doctor_report& report);

}  // namespace photofinish::gateway
