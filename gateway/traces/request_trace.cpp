#include "gateway/traces/request_trace.hpp"

#include <cmath>
#include <optional>
#include <utility>

namespace photofinish::gateway {
namespace {

// Converts a number to a number that looks random. Different numbers give different results. Uses the last steps of
// splitmix64.
std::uint64_t mixed(std::uint64_t number) {
  number = (number ^ (number >> 30)) * 0xBF58476D1CE4E5B9u;
  number = (number ^ (number >> 27)) * 0x94D049BB133111EBu;
  return number ^ (number >> 31);
}

std::uint64_t never_zero(std::uint64_t bits) { return bits != 0 ? bits : 1; }

// True if the trace belongs to the share of traces that are recorded. The decision uses the low 56 bits of the trace
// id, which are random by OpenTelemetry's rule.
bool is_in_share(const proxy::trace_id& id, double share) {
  constexpr int random_bits = 56;
  const std::uint64_t drawn = id.low & ((std::uint64_t{1} << random_bits) - 1);
  return share >= 1 || static_cast<double>(drawn) < std::ldexp(share, random_bits);
}

// Returns the caller's span. If a request contains more than one traceparent header, at least one header is wrong, so
// all of them are ignored.
std::optional<proxy::trace_parent> parent_in(std::span<const proxy::header_field> fields) {
  std::optional<proxy::trace_parent> found;
  bool is_first = true;
  for (const auto& [name, value] : fields) {
    if (name != "traceparent") continue;
    if (!std::exchange(is_first, false)) return std::nullopt;
    found = proxy::read_traceparent(value);
  }
  return found;
}

}  // namespace

proxy::span_id request_trace::attempt(std::size_t index) const {
  constexpr std::uint64_t step = 0x9E3779B97F4A7C15u;  // the constant that splitmix64 adds in each step
  return never_zero(mixed(seed + step * (index + 1)));
}

request_trace begin_trace(const tracing_settings& settings, std::span<const proxy::header_field> fields,
                          std::array<std::uint64_t, 4> random) {
  request_trace made;
  made.own = never_zero(random[2]);
  made.seed = random[3];
  const auto parent = settings.trust_parent ? parent_in(fields) : std::nullopt;
  if (!parent) {
    made.id = {random[0], never_zero(random[1])};
    made.is_sampled = is_in_share(made.id, settings.sample);
    return made;
  }
  made.id = parent->trace;
  made.parent = parent->span;
  made.is_sampled = parent->is_sampled;
  if (std::string state = joined_values(fields, "tracestate"); proxy::is_tracestate(state))
    made.state = std::move(state);
  return made;
}

std::string joined_values(std::span<const proxy::header_field> fields, std::string_view lower_case_name) {
  std::string all;
  for (const auto& [name, value] : fields)
    if (name == lower_case_name) all.append(all.empty() ? "" : ", ").append(value);
  return all;
}

}  // namespace photofinish::gateway
