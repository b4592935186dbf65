// Writes the sentences of a scorecard, for example the sentences about its ranking.
#include "gateway/bench/scorecard/scorecard.hpp"

#include <algorithm>
#include <string_view>

namespace photofinish::gateway::bench {
namespace {

std::string_view question_of(figure_id by) {
  switch (by) {
    case figure_id::time_to_first_token: return "first token";
    case figure_id::request_latency: return "whole answer";
    default: return "output speed";
  }
}

std::string listed(const std::vector<std::size_t>& endpoints) {
  std::string text;
  for (const std::size_t each : endpoints) text += (text.empty() ? "" : ", ") + letter_of(each);
  return text;
}

std::string behind(const finding& found) {
  const bool is_speed = figure_of(found.by).better == direction::higher;
  std::string text;
  for (const finding::other& each : found.behind)
    text += (text.empty() ? "" : ", ") + letter_of(each.endpoint) + " " + number_text(each.ratio) + " times";
  return is_speed ? "its speed: " + text : "as long: " + text;
}

class card_notes {
 public:
  explicit card_notes(const scorecard& card) : card_(card) {}

  std::vector<std::string> take() {
    take_end();
    for (const card_cell& each : card_.cells) take_cell(each);
    for (std::size_t size = 0; size < card_.plan.input_tokens.size(); ++size) take_lengths(size);
    take_method();
    for (std::size_t i = 0; i < card_.endpoints.size(); ++i) take_spending(i);
    return std::move(notes_);
  }

 private:
  void add(const card_cell& cell, const std::string& what) {
    notes_.push_back(letter_of(cell.endpoint) + ", " + size_name(card_.plan.input_tokens[cell.size]) + ": " + what);
  }

  void take_end() {
    const std::string rounds =
        std::to_string(card_.rounds) + " of " + std::to_string(card_.plan.rounds) + " rounds were measured";
    if (card_.end == level_end::interrupted) notes_.push_back("interrupted: " + rounds);
    if (card_.end == level_end::spend_cap)
      notes_.push_back("stopped by the spending cap: " + rounds + ", and one more request might have exceeded the cap");
    if (card_.end == level_end::duration) notes_.push_back("--duration has elapsed: " + rounds);
  }

  void take_cell(const card_cell& cell) {
    const level_report& report = cell.report;
    for (const error_count& each : report.errors)
      if (each.code != 499) add(cell, requests_text(each.count) + " failed: " + error_text(each));
    if (!cell.given_up.empty()) add(cell, "given up: " + cell.given_up);
    if (report.without_usage > 0)
      add(cell, "the endpoint reported no token usage for " + requests_text(report.without_usage) + " of " +
                    std::to_string(report.succeeded));
    if (report.by_tokenizer > 0)
      add(cell, "the bench itself counted the tokens of " + requests_text(report.by_tokenizer) +
                    " (with o200k_base)");
    if (report.cached) add(cell, cached_text(*report.cached));
    if (report.fresh_connections > 0)
      add(cell, requests_text(report.fresh_connections) + " of " + std::to_string(report.succeeded + report.failed) +
                    " opened a new connection: their TTFT includes the time to connect");
  }

  // Adds a note if the endpoints' answers have different lengths, because the length alone changes the time to the
  // whole answer.
  void take_lengths(std::size_t size) {
    std::vector<double> lengths;
    for (const card_cell& each : card_.cells) {
      const metric* length = each.size == size ? each.report.find("output_sequence_length") : nullptr;
      if (length && length->spread) lengths.push_back(length->spread->p50);
    }
    if (lengths.size() < 2) return;
    const auto [least, most] = std::minmax_element(lengths.begin(), lengths.end());
    if (*most <= 1.1 * *least) return;
    notes_.push_back(size_name(card_.plan.input_tokens[size]) + ": the answers differ in length, " +
                     number_text(*least) + " to " + number_text(*most) +
                     " tokens (p50), so the times to the whole answer are not directly comparable");
  }

  void take_method() {
    notes_.push_back("each round measures all endpoints and sizes, in a new order; results count as equal if their "
                     "difference is not significant at 95 % confidence, or is less than 3 % or 5 ms");
    const bool has_models = std::any_of(card_.endpoints.begin(), card_.endpoints.end(), [&](const card_endpoint& each) {
      return each.model != card_.endpoints.front().model;
    });
    if (has_models)
      notes_.push_back("each endpoint counts tokens with its own tokenizer, so one token may be more text at one "
                       "endpoint than at another");
    const bool is_small = std::any_of(card_.cells.begin(), card_.cells.end(), [](const card_cell& each) {
      return each.report.succeeded > 0 && each.report.succeeded < 100;
    });
    if (is_small)
      notes_.push_back("with fewer than 100 requests, the p99 is close to the slowest request: raise --requests for a "
                       "reliable p99");
  }

  void take_spending(std::size_t endpoint) {
    const card_endpoint& of = card_.endpoints[endpoint];
    std::string text = letter_of(endpoint) + ": " + std::to_string(of.used.input) + " input tokens and " +
                       std::to_string(of.used.output) + " output tokens, including warm-ups";
    if (of.cost_usd) text += "; " + number_text(*of.cost_usd) + " USD";
    if (of.origin == price_origin::list) text += " at the prices that are built into photofinish";
    if (of.origin == price_origin::unknown)
      text += "; the price of the model is unknown: give --price-in and --price-out";
    notes_.push_back(text);
  }

  const scorecard& card_;
  std::vector<std::string> notes_;
};

}  // namespace

std::string size_name(std::size_t input_tokens) {
  if (input_tokens == own_prompts) return "own prompts";
  std::string digits = std::to_string(input_tokens);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
  return digits + " tokens in";
}

std::string words_of(const finding& found) {
  std::string text = std::string(question_of(found.by)) + ": ";
  if (!found.best) return text + "too few answers to say which endpoint is fastest";
  const std::string unit = figure_of(found.by).unit == "ms" ? " ms" : " tok/s";
  const bool is_alone = found.equal.empty() && found.behind.empty();
  text += letter_of(*found.best) + (is_alone ? " has " : " is fastest with ") + number_text(found.median) + unit;
  if (!found.equal.empty()) text += "; equally fast: " + listed(found.equal);
  if (!found.behind.empty()) text += "; " + behind(found);
  if (!found.left_out.empty()) text += "; not ranked: " + listed(found.left_out);
  return text;
}

std::vector<std::string> verdicts_of(const scorecard& card) {
  std::vector<std::string> verdicts;
  for (const finding& each : card.findings)
    if (each.best || each.by == figure_id::request_latency)
      verdicts.push_back(size_name(card.plan.input_tokens[each.size]) + ", " + words_of(each));
  return verdicts;
}

std::vector<std::string> notes_of(const scorecard& card) { return card_notes(card).take(); }

}  // namespace photofinish::gateway::bench
