#include "gateway/commands/doctor/examination.hpp"

#include "gateway/commands/doctor/model_ends.hpp"
#include "gateway/config/config_secrets.hpp"
#include "gateway/housekeeping/credential_network.hpp"
#include "gateway/probes/probe_attempt.hpp"
#include "gateway/records/cost.hpp"
#include "gateway/records/price_book.hpp"
#include "gateway/records/speed.hpp"
#include "proxy/loop/spawn.hpp"

#include <boost/asio/io_context.hpp>

#include <algorithm>
#include <exception>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>

namespace photofinish::gateway {

namespace asio = boost::asio;

namespace {

// The maximum number of providers that are tried at the same time. On a small machine, too many parallel requests would
// slow each other down and falsify the times to the first token.
constexpr std::size_t most_providers = 4;

constexpr std::uint64_t bytes_a_token = 4;

// Makes a prompt that is different each time, so that no cache can answer it. The answer is long enough
// to measure a speed.
std::string tiny_prompt() {
  std::random_device random;
  const std::uint64_t number = (std::uint64_t{random()} << 32) | random();
  return "Session " + std::to_string(number) + ". Count from 1 to 30 in English words, separated by commas.";
}

class examining {
 public:
  examining(const config& settings, const std::vector<target_name>& targets, examination_limits limits)
      : settings_(settings),
        limits_(limits),
        secrets_(std::make_shared<const proxy::redactor>(secrets_of(settings))),
        found_(targets.size()) {
    for (std::size_t at = 0; at < targets.size(); ++at) {
      found_[at].target = targets[at].text();
      of_provider_[targets[at].provider].push_back({at, targets[at]});
    }
  }

  std::vector<examined_target> run() {
    renewing_.adopt(settings_);
    next_ = of_provider_.begin();
    const std::size_t lanes = std::min(most_providers, of_provider_.size());
    running_ = lanes;
    for (std::size_t lane = 0; lane < lanes; ++lane)
      proxy::spawn(loop_, "an examination", take_providers(), [this](const std::exception_ptr& bug) { ended(bug); });
    if (lanes > 0) loop_.run();
    if (bug_) std::rethrow_exception(bug_);
    return std::move(found_);
  }

 private:
  struct place {
    std::size_t at;
    target_name target;
  };

  asio::awaitable<void> take_providers() {
    while (next_ != of_provider_.end()) {
      const std::vector<place>& targets = (next_++)->second;
      for (const place& each : targets) co_await try_one(found_[each.at], each.target);
      co_await note_ends(targets);
    }
  }

  // Sends only one request for the provider's list of models, because one list contains the dates of all its models.
  asio::awaitable<void> note_ends(const std::vector<place>& targets) {
    const auto chosen = find_probe_candidate(settings_, targets.front().target);
    if (!chosen || !may_list_ends(*chosen)) co_return;
    const model_ends ends = co_await ask_model_ends(over_, *chosen, limits_.patience);
    for (const place& each : targets) {
      const auto end = ends.find(std::string(each.target.sent_model()));
      if (end == ends.end()) continue;
      found_[each.at].ends = end->second;
      found_[each.at].notes.push_back("the provider's end date for this model is " + end->second);
    }
  }

  void ended(const std::exception_ptr& bug) {
    if (bug) bug_ = bug;
    if (--running_ > 0) return;
    proxy::spawn(loop_, "the cleanup after an examination", stop(), [] {});
  }

  asio::awaitable<void> stop() {
    co_await renewing_.stop();
    co_await over_.stop();
  }

  asio::awaitable<void> try_one(examined_target& into, target_name target) {
    const auto chosen = find_probe_candidate(settings_, target);
    into.key = key_label(*chosen);
    if (chosen->key.source == key_source::none) {
      into.reason = "no_key";
      into.trouble = explain_no_key(*chosen->provider);
      co_return;
    }
    const std::string prompt = tiny_prompt();
    auto asked = make_probe_request(over_, target, prompt, limits_.max_tokens);
    if (const auto* problem = std::get_if<std::string>(&asked)) {
      into.reason = "unsupported";
      into.trouble = {*problem, ""};
      co_return;
    }
    probe_attempt_request wanted{std::get<parsed_request>(std::move(asked)), *chosen, "doctor", limits_.patience};
    probe_attempt one(over_, race_builder(over_, credentials_, secrets_), std::move(wanted));
    const probe_attempt_answer answer = co_await one.run();
    note(into, *chosen, answer, prompt.size() / bytes_a_token);
  }

  void note(examined_target& into, const race_candidate& chosen, const probe_attempt_answer& answer,
            std::uint64_t input) const {
    into.limits = answer.summary.headroom;
    if (answer.why) {
      into.reason = to_string(answer.why->kind);
      into.status = answer.why->status;
      into.trouble = explain(*answer.why, chosen);
      return;
    }
    into.works = true;
    note_answer(into, chosen, answer, input);
  }

  void note_answer(examined_target& into, const race_candidate& chosen, const probe_attempt_answer& answer,
                   std::uint64_t input) const {
    using milliseconds = std::chrono::duration<double, std::milli>;
    const proxy::stream_summary& seen = answer.summary;
    if (answer.has_refused_stream)
      into.notes.push_back("the target refuses to stream and answers in one piece, so there is no time to first token; "
                           "`stream: never` avoids the refused request");
    else if (seen.is_unstreamed)
      into.notes.push_back("the target answers in one piece, so there is no time to first token");
    else if (!seen.first_token_at)
      into.notes.push_back("the answer has no text: a reasoning model may need more than " +
                           std::to_string(limits_.max_tokens) + " tokens before its text; raise --max-tokens");
    if (seen.first_token_at) into.ttft_ms = milliseconds(*seen.first_token_at - answer.started_at).count();
    if (const auto decoded = measure_speed(seen, answer.counted, {}).samples[metrics::token_source::tokenizer])
      into.tokens_per_second = static_cast<double>(decoded->tokens) / decoded->duration.count();
    estimated_tokens tokens{input, answer.counted ? answer.counted->all : seen.text_bytes / bytes_a_token};
    into.input_tokens = seen.usage ? seen.usage->input_tokens : tokens.input;
    into.output_tokens = seen.usage ? seen.usage->output_tokens : tokens.output;
    const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
    const auto served = seen.usage ? seen.usage->tier : std::nullopt;
    if (const auto* prices = prices_of(settings_, chosen.target, served))
      into.cost_usd = winner_cost(*prices, seen, tokens, now).usd;
  }

  const config& settings_;
  const examination_limits limits_;
  std::shared_ptr<const proxy::redactor> secrets_;
  std::vector<examined_target> found_;
  std::map<std::string, std::vector<place>> of_provider_;
  std::map<std::string, std::vector<place>>::iterator next_;
  std::size_t running_ = 0;
  std::exception_ptr bug_;
  asio::io_context loop_{1};
  proxy::outbound over_{loop_};
  credential_view credentials_;
  credential_network renewing_{loop_, [this](auto board) { credentials_.adopt(std::move(board)); },
                               [](const auto&) {}};
};

}  // namespace

std::vector<examined_target> examine(const config& settings, const std::vector<target_name>& targets,
                                     examination_limits limits) {
  return examining(settings, targets, limits).run();
}

}  // namespace photofinish::gateway
