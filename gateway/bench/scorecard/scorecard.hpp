// Compares several endpoints at each input size. The comparison shows figures and prices. It also ranks the endpoints
// if the differences between them are certain. [pure]
#pragma once

#include "gateway/bench/level_report.hpp"
#include "gateway/bench/run_report.hpp"
#include "gateway/bench/scorecard/comparison_plan.hpp"
#include "gateway/bench/scorecard/median_range.hpp"
#include "proxy/providers/prices.hpp"
#include "proxy/words/enum_words.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace photofinish::gateway::bench {

enum class price_origin {
  unknown,
  given,  // the price was given on the command line
  list,   // the price is from the built-in list of the program
};

constexpr auto words_of(price_origin) {
  using enum price_origin;
  return proxy::enum_words<price_origin, 3>{{{unknown, "unknown"}, {given, "given"}, {list, "list"}}};
}

struct card_endpoint {
  std::string url;
  std::string model;
  std::optional<proxy::model_prices> prices;
  price_origin origin = price_origin::unknown;
  // The tokens that were used, including warm-ups. If the endpoint did not report the usage of a request, the largest
  // possible usage of this request is counted.
  token_amount used;
  std::optional<double> cost_usd;
};

// The measurements of one endpoint at one input size. `records` contains the requests of all rounds, in any order.
struct measured_cell {
  std::size_t endpoint = 0;
  std::size_t size = 0;
  std::vector<request_record> records;
  // The reason why the comparison stopped sending requests to the endpoint before the last round. Empty if the endpoint
  // got requests in all rounds.
  std::string given_up;
};

// The figures by which the scorecard ranks endpoints.
inline constexpr figure_id ranked_figures[] = {figure_id::time_to_first_token,
                                               figure_id::output_token_throughput_per_user, figure_id::request_latency};

struct card_cell {
  std::size_t endpoint = 0;
  std::size_t size = 0;
  level_report report;
  std::string given_up;
  std::optional<value_range> ranges[std::size(ranked_figures)];  // the confidence intervals of the medians
  std::optional<double> usd_per_request;  // the mean cost of all requests whose usage is known
};

// The ranking of the endpoints by one figure at one input size.
struct finding {
  struct other {
    std::size_t endpoint = 0;
    double ratio = 1;  // the endpoint's median divided by the best endpoint's median
  };
  std::size_t size = 0;
  figure_id by = figure_id::time_to_first_token;
  std::optional<std::size_t> best;    // the best endpoint; none if there are too few answers for a comparison
  double median = 0;                  // the median of the best endpoint
  std::vector<std::size_t> equal;     // the endpoints for which a difference from the best endpoint is not certain
  std::vector<other> behind;          // the worse endpoints, sorted by their ratio to the best endpoint
  std::vector<std::size_t> left_out;  // the endpoints that have too few answers or too many failures
};

// The requests and tokens that the user's own gateway has reported. The forecast is based on these numbers.
struct own_traffic {
  double days = 0;
  double requests = 0, input_tokens = 0, output_tokens = 0;
  double cost_usd = 0;
};

struct scorecard {
  std::string version;
  comparison_plan plan;
  wall_clock clock;
  proxy::instant begun_at;
  proxy::instant ended_at;
  level_end end = level_end::complete;
  std::size_t rounds = 0;  // the number of completed rounds
  std::vector<card_endpoint> endpoints;
  std::vector<card_cell> cells;  // the results, one for each endpoint and input size; sorted by size, then by endpoint
  std::vector<finding> findings;
  std::optional<own_traffic> traffic;  // the traffic for a forecast; none if no forecast was requested

  // Returns the result for an endpoint at an input size, or null if there is none.
  const card_cell* find(std::size_t endpoint, std::size_t size) const;
};

// Computes the results and the rankings from the measurements. All other members of the scorecard must be set before
// this call.
void fill(scorecard& card, const std::vector<measured_cell>& measured);

// Describes a ranking with a text such as "fastest to the first token: A (212 ms), B is equal; C takes 1.4 times as
// long".
std::string words_of(const finding& found);
// Returns one sentence for each ranking. Each sentence begins with the input size.
std::vector<std::string> verdicts_of(const scorecard& card);
// Returns notes that help users to understand the figures.
std::vector<std::string> notes_of(const scorecard& card);

// The prices in USD per million tokens for prompts of one input size, at the time when the run began.
struct shown_price {
  double input = 0, output = 0;
};
std::optional<shown_price> price_at(const scorecard& card, const card_cell& cell);

// Returns the name of an input size, such as "1,000 tokens in".
std::string size_name(std::size_t input_tokens);

}  // namespace photofinish::gateway::bench
