#include "gateway/commands/commands.hpp"

#include "gateway/api/chat/chat_api.hpp"
#include "gateway/api/race_headers.hpp"
#include "gateway/commands/config_option.hpp"
#include "gateway/config/config_secrets.hpp"
#include "gateway/config/sources/config_source.hpp"
#include "gateway/config/sources/demo_config.hpp"
#include "gateway/process/process_environment.hpp"
#include "gateway/records/attempt_words.hpp"
#include "gateway/records/speed.hpp"
#include "gateway/relay/answer_tokens.hpp"
#include "gateway/relay/winner_reader.hpp"
#include "gateway/attempts/race_builder.hpp"
#include "proxy/failures/sanitized_text.hpp"
#include "proxy/json/json_text.hpp"
#include "proxy/json/tolerant_json.hpp"
#include "proxy/loop/spawn.hpp"
#include "proxy/outbound.hpp"
#include "proxy/tokens/byte_pairs.hpp"
#include "proxy/words/decimal_text.hpp"
#include "racing/race_run.hpp"

#include <boost/asio/io_context.hpp>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <iostream>
#include <memory>
#include <optional>
#include <string>

namespace photofinish::gateway {

namespace asio = boost::asio;

namespace {

struct race_options {
  std::string config_file;
  std::string model;
  std::string prompt;
  std::string policy;
  bool is_demo = false;
};

std::string body_of(const race_options& options) {
  return R"({"model":)" + proxy::json_quote(options.model) + R"(,"stream":true,"messages":[{"role":"user","content":)" +
         proxy::json_quote(options.prompt) + "}]}";
}

// Prints the text of an event. Removes control characters, because a terminal would execute them.
void show_text(const proxy::stream_event& event) {
  for (const proxy::delta& each : event.deltas)
    if (each.kind == proxy::delta_kind::text && each.choice == 0) std::cout << proxy::shown_lines(each.text);
  std::cout << std::flush;
}

// Rewords an error for a user at a terminal. The original text is meant for clients of a server.
std::string in_terminal_words(const api_error& error) {
  if (error.code != "model_not_found") return error.message;
  const std::size_t end = std::min(error.message.find("; GET /v1/models"), error.message.find(": send yours"));
  if (end == std::string::npos) return error.message;
  return error.message.substr(0, end) + "; `photofinish models` lists what the configuration serves";
}

// Runs one race, from its preparation to the last token of the answer.
class terminal_race {
 public:
  terminal_race(const race_options& options, const config& settings, parsed_request asked)
      : settings_(settings), asked_(std::move(asked)) {
    racing::plan_overrides overrides;
    overrides.policy = proxy::parse_word<racing::race_policy>(options.policy);
    const caller anyone;
    setup_ = set_up_race({asked_, settings_, keys_, anyone, overrides, board_, over_.alarms().now()});
  }

  int run() {
    for (const auto& [index, reason, detail] : setup_.planned.skipped)
      std::cout << "skipped  " << setup_.candidates[index].target.text() << ": " << to_string(reason) << "\n";
    if (setup_.error) {
      std::cerr << "error: " << in_terminal_words(*setup_.error) << "\n";
      return 2;
    }
    proxy::spawn(loop_, "a race", race(), [this](const std::exception_ptr& bug) { bug_ = bug; });
    loop_.run();
    if (bug_) std::rethrow_exception(bug_);
    return exit_code_;
  }

 private:
  asio::awaitable<void> race() {
    {
      const asio::any_io_executor executor = loop_.get_executor();
      racing::race_run run =
          race_builder::race(setup_, [this](std::size_t index) { return start(index); }, over_.alarms(), executor);
      std::cout << to_string(setup_.planned.plan.policy) << ", " << setup_.planned.chosen.size() << " targets\n";
      co_await run.decide();
      show_attempts(run.report());
      if (run.report().winner) co_await show_answer(run);
      else exit_code_ = 1;
      co_await run.ended();
    }
    co_await over_.stop();
  }

  std::unique_ptr<proxy::upstream> start(std::size_t index) {
    const race_candidate& each = setup_.attempt(index);
    const bool is_whole = each.provider->behaves.stream == proxy::upstream_stream::never;
    const auto shape = is_whole ? proxy::answer_shape::in_one_piece : proxy::answer_shape::streamed;
    return builder_.attempt(each, {asked_, answer_id_}, {shape}).upstream;
  }

  void show_attempts(const racing::race_report& report) const {
    for (const racing::attempt_report& attempt : report.attempts) {
      const bool has_won = attempt.end == racing::attempt_end::won;
      const bool is_running = !has_won && attempt.end == racing::attempt_end::lost;
      const auto age = (is_running ? report.decided_at : attempt.ended_at) - attempt.started_at;
      std::printf("%-9s %-48s started %8s ms  %s %8s ms%s%s\n", std::string(word_for(attempt.end)).c_str(),
                  setup_.attempt(attempt.target).target.text().c_str(),
                  milliseconds_text(attempt.started_at - report.begun_at).c_str(),
                  has_won ? "first token" : "ended after", milliseconds_text(age).c_str(),
                  attempt.why ? "  " : "", attempt.why ? describe(*attempt.why).c_str() : "");
    }
    std::cout << std::endl;
  }

  static std::string describe(const proxy::failure& why) {
    return std::string(to_string(why.kind)) + (why.detail.empty() ? "" : ": " + why.detail);
  }

  asio::awaitable<void> show_answer(racing::race_run& run) {
    const proxy::instant ends_at = over_.alarms().now() + setup_.settings.total_timeout;
    winner_reader winner(run.winner(), run.held_events(), run.held_failure(), over_.alarms(), setup_.settings, ends_at,
                         {});
    bool is_over = false;
    while (!is_over) {
      auto event = co_await winner.next();
      if (!event) {
        std::cerr << "\nerror: " << describe(event.error()) << "\n";
        exit_code_ = 1;
        co_return;
      }
      show_text(*event);
      tokens_.add(event->deltas, event->read_at);
      is_over = event->kind == proxy::event_kind::end;
    }
    tokens_.finish();
    co_await tokens_.all_counted();
    std::cout << "\n\n" << summary(run) << "\n";
  }

  std::string summary(racing::race_run& run) const {
    const proxy::stream_summary& seen = run.winner().summary();
    const char* const what = seen.is_unstreamed ? ", not streamed, complete after " : ", TTFT ";
    std::string text = "winner " + setup_.attempt(*run.report().winner).target.text() + what +
                       milliseconds_text(run.report().decided_at - run.report().begun_at) + " ms";
    text += ", " + std::to_string(tokens_.result().value_or(counted_tokens{}).all) + " tokens";
    if (seen.usage) text += " (" + std::to_string(seen.usage->output_tokens) + " as the provider reports)";
    const measured_speed speed = measure_speed(seen, tokens_.result(), {});
    if (const auto& decoded = speed.samples[metrics::token_source::tokenizer])
      text += ", " + proxy::fixed_text(static_cast<double>(decoded->tokens) / decoded->duration.count(), 1) + " tok/s";
    return text;
  }

  const config& settings_;
  const std::string answer_id_ = "race";
  parsed_request asked_;
  presented_keys keys_;
  racing::scoreboard board_;
  asio::io_context loop_{1};
  proxy::outbound over_{loop_};
  // This object stays empty, because this command does not fetch expiring credentials.
  credential_view no_credentials_;
  const race_builder builder_{over_, no_credentials_,
                              std::make_shared<const proxy::redactor>(secrets_of(settings_))};
  race_setup setup_;
  answer_tokens tokens_{[](std::string text, std::function<void(std::uint64_t)> counted) {
    // Counts the tokens exactly. This may be slow, but no other request waits for it.
    return counted(proxy::count_tokens(text)), true;
  }};
  std::exception_ptr bug_;
  int exit_code_ = 0;
};

int race(const race_options& options) {
  std::signal(SIGPIPE, SIG_IGN);
  const environment machine = process_environment();
  const config_source source = find_config(options.config_file, machine);
  config_result loaded = load_config(source, machine);
  print_problems(loaded.problems, std::cerr);
  if (!loaded.is_usable()) return 2;
  std::optional<simulator::demo_providers> demo;
  const bool has_nobody = source.origin == config_origin::zero_config && loaded.settings.providers.empty();
  if (options.is_demo || has_nobody) {
    demo.emplace();
    loaded.settings = demo_config(demo->providers());
  }
  proxy::tolerant_parser parser;
  auto asked = chat_api().read(body_of(options), parser);
  if (const auto* error = std::get_if<api_error>(&asked)) {
    std::cerr << "error: " << error->message << "\n";
    return 2;
  }
  return terminal_race(options, loaded.settings, std::get<parsed_request>(std::move(asked))).run();
}

}  // namespace

void add_race_command(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("race", "Run one race in the terminal, attempt by attempt");
  // CLI11 runs the command after this function has returned. Therefore the options are in a shared pointer.
  const auto options = std::make_shared<race_options>();
  add_config_option(*command, options->config_file);
  command->add_option("MODEL", options->model, "A route, provider/model, or a list of these separated by commas")
      ->required();
  command->add_option("PROMPT", options->prompt, "The prompt")->required();
  command->add_option("--policy", options->policy, "A cheaper policy than the route's: all, hedge, adaptive, fallback")
      ->check(CLI::IsMember({"all", "hedge", "adaptive", "fallback"}));
  command->add_flag("--demo", options->is_demo, "Race three simulated providers; the route is named demo");
  command->callback([options, &exit_code] { exit_code = race(*options); });
}

}  // namespace photofinish::gateway
