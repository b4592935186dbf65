#include "metrics/exposition.hpp"

#include "tests/support/by_source.hpp"
#include "tests/support/filled_cells.hpp"

#include <gtest/gtest.h>
#include <prometheus/text_serializer.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <sstream>
#include <string>
#include <vector>

namespace photofinish::metrics {
namespace {

using namespace std::chrono_literals;

struct ExpositionTest : testing::Test {
  series_budget budget;
  shard first{budget};
  shard second{budget};
  exposition page{{"1.2.3", "abc123", "GCC 12.2"}, {&first, &second}};

  // Returns all lines of the metrics page that begin with this text.
  std::string lines(std::string_view beginning) const {
    std::istringstream text(page.text());
    std::string found;
    for (std::string line; std::getline(text, line);)
      if (line.starts_with(beginning)) found.append(line).append("\n");
    return found;
  }

  static void win(shard& worker, seconds ttft) {
    attempt_observation attempts[] = {
        {.target = worker.declare_target("groq", "m"), .outcome = attempt_outcome::won, .ttft = ttft}};
    worker.observe({.route = worker.route("_direct"), .client = worker.client("_none"), .attempts = attempts});
  }
};

TEST_F(ExpositionTest, AddsUpTheWorkers) {
  win(first, 100ms);
  win(second, 200ms);
  win(second, 200ms);
  EXPECT_EQ(lines("photofinish_attempts_total{provider=\"groq\",model=\"m\",outcome=\"won\""),
            "photofinish_attempts_total{provider=\"groq\",model=\"m\",outcome=\"won\",reason=\"none\"} 3\n");
  EXPECT_EQ(lines("photofinish_attempt_ttft_seconds_count"),
            "photofinish_attempt_ttft_seconds_count{provider=\"groq\",model=\"m\",sample=\"won\"} 3\n");
  EXPECT_EQ(lines("photofinish_attempt_ttft_seconds_sum"),
            "photofinish_attempt_ttft_seconds_sum{provider=\"groq\",model=\"m\",sample=\"won\"} 0.5\n");
}

TEST_F(ExpositionTest, BucketsAreCumulativeAndHoldTheirEdges) {
  win(first, 100ms);
  win(second, 200ms);
  const std::string series =
      "photofinish_attempt_ttft_seconds_bucket{provider=\"groq\",model=\"m\",sample=\"won\",";
  EXPECT_EQ(lines(series + "le=\"0.08\"}"), series + "le=\"0.08\"} 0\n");
  EXPECT_EQ(lines(series + "le=\"0.1\"}"), series + "le=\"0.1\"} 1\n");
  EXPECT_EQ(lines(series + "le=\"0.15\"}"), series + "le=\"0.15\"} 1\n");
  EXPECT_EQ(lines(series + "le=\"0.2\"}"), series + "le=\"0.2\"} 2\n");
  EXPECT_EQ(lines(series + "le=\"+Inf\"}"), series + "le=\"+Inf\"} 2\n");
}

TEST_F(ExpositionTest, GaugesAddUpToZeroAndStayShown) {
  first.declare_route("fast").cell<names::inflight_requests>().add(2);
  second.declare_route("fast").cell<names::inflight_requests>().add(1);
  EXPECT_EQ(lines("photofinish_inflight_requests{route=\"fast\"}"),
            "photofinish_inflight_requests{route=\"fast\"} 3\n");
  first.route("fast").cell<names::inflight_requests>().sub(2);
  second.route("fast").cell<names::inflight_requests>().sub(1);
  EXPECT_EQ(lines("photofinish_inflight_requests{route=\"fast\"}"),
            "photofinish_inflight_requests{route=\"fast\"} 0\n");
}

TEST_F(ExpositionTest, ADeclaredTargetShowsItsAttemptsAsZero) {
  first.declare_target("groq", "m");
  const std::string shown = lines("photofinish_attempts_total");
  const std::string target = "photofinish_attempts_total{provider=\"groq\",model=\"m\",";
  EXPECT_NE(shown.find(target + "outcome=\"won\",reason=\"none\"} 0\n"), std::string::npos);
  EXPECT_NE(shown.find(target + "outcome=\"lost\",reason=\"none\"} 0\n"), std::string::npos);
  EXPECT_NE(shown.find(target + "outcome=\"failed\",reason=\"rate_limited\"} 0\n"), std::string::npos);
  // Twelve lines: the outcomes won and lost, and the outcome failed with each of ten reasons.
  EXPECT_EQ(std::count(shown.begin(), shown.end(), '\n'), 12);
}

TEST_F(ExpositionTest, ARouteShowsAllItsOutcomesOnceItWasAsked) {
  EXPECT_EQ(lines("photofinish_requests_total"), "");
  first.observe({.route = first.declare_route("fast"), .client = first.client("_none")});
  const std::string labels =
      "photofinish_requests_total{route=\"fast\",endpoint=\"chat_completions\",client=\"_none\",";
  const std::string shown = lines("photofinish_requests_total");
  EXPECT_NE(shown.find(labels + "outcome=\"ok\"} 1\n"), std::string::npos);
  EXPECT_NE(shown.find(labels + "outcome=\"upstream_error\"} 0\n"), std::string::npos);
  EXPECT_EQ(std::count(shown.begin(), shown.end(), '\n'), 7);
}

TEST_F(ExpositionTest, EscapesLabelValues) {
  first.declare_route("a\"b\\c\nd");
  EXPECT_EQ(lines("photofinish_inflight_requests{route=\"a"),
            "photofinish_inflight_requests{route=\"a\\\"b\\\\c\\nd\"} 0\n");
}

TEST_F(ExpositionTest, TellsWhetherTheLastReloadWasAccepted) {
  EXPECT_EQ(lines("photofinish_config"), "photofinish_config_last_reload_successful 1\n");
  page.config_loaded(reload_result::refused);
  EXPECT_EQ(lines("photofinish_config"), "photofinish_config_last_reload_successful 0\n");
  page.config_loaded(reload_result::accepted);
  EXPECT_EQ(lines("photofinish_config"), "photofinish_config_last_reload_successful 1\n");
}

TEST_F(ExpositionTest, TellsWhichConfigurationRunsSinceWhen) {
  page.config_in_use("0123456789abcdef", 1'795'000'000);
  EXPECT_EQ(lines("photofinish_config_info"), "photofinish_config_info{hash=\"0123456789abcdef\"} 1\n");
  EXPECT_EQ(lines("photofinish_config_last_reload_success_"),
            "photofinish_config_last_reload_success_timestamp_seconds 1795000000\n");
  page.config_loaded(reload_result::refused);
  EXPECT_EQ(lines("photofinish_config_info"), "photofinish_config_info{hash=\"0123456789abcdef\"} 1\n");
  page.config_in_use("", 1'795'000'001);
  EXPECT_EQ(lines("photofinish_config_info"), "") << "there is no file";
}

TEST_F(ExpositionTest, TellsHowManyTargetsHaveNoPrice) {
  page.unpriced_targets(3);
  EXPECT_EQ(lines("photofinish_unpriced_targets"), "photofinish_unpriced_targets 3\n");
}

TEST_F(ExpositionTest, TellsHowOldTheListOfPricesIs) {
  EXPECT_EQ(lines("photofinish_catalogue_age_seconds"), "") << "not known yet";
  page.catalogue_date(std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now()) - std::chrono::days(3));
  const std::string line = lines("photofinish_catalogue_age_seconds");
  const double age = std::stod("0" + line.substr(std::min(line.find(' '), line.size())).erase(0, 1));
  EXPECT_GE(age, 3 * 86'400);
  EXPECT_LT(age, 4 * 86'400 + 60);
}

TEST_F(ExpositionTest, TellsWhatIsRunning) {
  EXPECT_EQ(lines("photofinish_build_info"),
            "photofinish_build_info{version=\"1.2.3\",commit=\"abc123\",compiler=\"GCC 12.2\"} 1\n");
}

TEST_F(ExpositionTest, CountersStayWholeNumbersWhenTheyGrow) {
  first.declare_target("groq", "m").cell<names::decode_tokens_total>(token_source::usage).add(123'456'789'012);
  EXPECT_EQ(lines("photofinish_decode_tokens_total"),
            "photofinish_decode_tokens_total{provider=\"groq\",model=\"m\",source=\"usage\"} 123456789012\n");
}

by<reported_stage, std::optional<seconds>> reported_times(seconds queue, seconds prompt) {
  by<reported_stage, std::optional<seconds>> both;
  both[reported_stage::queue] = queue;
  both[reported_stage::prompt] = prompt;
  return both;
}

by<prompt_part, std::uint64_t> prompt_parts(std::uint64_t read, std::uint64_t uncached) {
  by<prompt_part, std::uint64_t> parts{};
  parts[prompt_part::read] = read;
  parts[prompt_part::uncached] = uncached;
  return parts;
}

// Returns sample figures about one race, with a value in every field.
speculation_observation some_speculation() {
  speculation_observation race{.currency = currency::usd};
  race.cost[spent_on::winner] = 0.5;
  race.cost[spent_on::hedge] = 0.25;
  race.starts[start_cause::first] = 1;
  race.starts[start_cause::hedge] = 1;
  race.held_back_hedges[held_back::empty] = 1;
  race.prediction_ratio = 1.25;
  race.within[predicted::p90] = true;
  race.within[predicted::p99] = true;
  race.is_choice_new = true;
  race.moved = move_reason::slower;
  race.move_cost_usd = 0.125;
  race.deadline = deadline_end::missed;
  return race;
}

void observe_everything(shard& worker) {
  target_series& groq = worker.declare_target("groq", "m");
  target_series& mistral = worker.declare_target("mistral", "m");
  attempt_observation attempts[] = {
      {.target = groq,
       .outcome = attempt_outcome::won,
       .connection = connection_kind::reused,
       .first_byte = 90ms,
       .ttft = 125ms,
       .first_visible = 190ms,
       .reported = reported_times(40ms, 25ms),
       .output = reported_by_both(std::uint64_t{512}),
       .speed = reported_by_both(decode_sample{500, 1s}),
       .crawl = crawl_end::reported,
       .reasoning_tokens = 64,
       .prompt_cache = {prompt_parts(900, 100), expected_prefix::warm, found_prefix::warm},
       .price = cost{0.001, cost_kind::winner}},
      {.target = mistral,
       .outcome = attempt_outcome::lost,
       .connection = connection_kind::fresh,
       .ttft = 250ms,
       .sample = ttft_sample::observed,
       .abandoned_after = 250ms,
       .cancel = 40us,
       .unmeasurable = unmeasurable_reason::broken,
       .lost = lost_token_count{1000, 1, billing::unknown},
       .price = unpriced{}},
  };
  attempts[1].repeated[repeat_reason::reasoning] = true;
  attempts[1].prompt_cache.is_prefill_finished = true;
  worker.observe({.route = worker.declare_route("fast"),
                  .client = worker.declare_client("search"),
                  .ttft = 126ms,
                  .duration = 1130ms,
                  .overhead = 200us,
                  .margin = 125ms,
                  .gen_ai = gen_ai_observation{.winner = groq,
                                               .ttft = 125ms,
                                               .time_per_output_token = 2ms,
                                               .duration = 1125ms,
                                               .input_tokens = 1000,
                                               .output_tokens = 512},
                  .speculation = some_speculation(),
                  .hold = hold_observation{hold_why::turned, 300ms},
                  .cache = cache_result::hit,
                  .runner_up = runner_up_end::unused,
                  .attempts = attempts});
  usage_series& used = worker.declare_usage("search", "web");
  used.cell<names::limit_rejections_total>(rejection::rpm).add(1);
  worker.limit("team", "web").cell<names::limit_reached_total>(rejection::rpm).add(1);
  used.cell<names::client_tokens_total>(token_direction::input).add(1000);
  used.cell<names::client_cost_usd_total>(cost_kind::winner).add(0.001);
  project_series& project = worker.declare_project("atlas");
  project.cell<names::project_tokens_total>(token_direction::input).add(1000);
  project.cell<names::project_cost_usd_total>(cost_kind::winner).add(0.001);
  worker.declare_guardrail("pii").cell<names::guardrail_seconds>(guardrail_verdict::pass).observe(125ms);
}

const metric& metric_named(std::string_view name) {
  return **std::ranges::find(names::all, name, [](const metric* which) { return which->name; });
}

TEST_F(ExpositionTest, OneFullRequestShowsEveryMetricOfTheTable) {
  observe_everything(first);
  fill_series(first);
  page.watch([](merged_families& all) { fill_plain_rows(all, names::table()); });
  store_facts store{.is_used = true};
  store.calls.observe(0.001);
  page.watch_store(store);
  page.region("eu-west");
  page.config_in_use("0123456789abcdef", 1.795e9);
  std::vector<std::string> shown, expected;
  for (const auto& family : page.Collect()) shown.push_back(family.name);
  for (const metric* which : names::all) expected.emplace_back(which->name);
  EXPECT_EQ(shown, expected);
}

TEST_F(ExpositionTest, TheStateFolderAndEgressAreShown) {
  EXPECT_EQ(lines("photofinish_state_folder_writable"), "");
  bool is_writable = false;
  page.watch([&](merged_families& all) { all.add(names::state_folder_writable, {}, is_writable); });
  page.watch([](merged_families& all) { all.add(names::egress_works, {}, false); });
  EXPECT_EQ(lines("photofinish_state_folder_writable"), "photofinish_state_folder_writable 0\n");
  is_writable = true;
  EXPECT_EQ(lines("photofinish_state_folder_writable"), "photofinish_state_folder_writable 1\n");
  EXPECT_EQ(lines("photofinish_egress_works"), "photofinish_egress_works 0\n");
}

TEST_F(ExpositionTest, OverloadsAreCountedByTheirReasonFromZero) {
  first.cell<names::overload_refusals_total>(overload_reason::max_inflight).add(1);
  second.cell<names::overload_refusals_total>(overload_reason::max_inflight).add(1);
  EXPECT_TRUE(lines("photofinish_overload_refusals_total{reason=\"max_inflight\"}").ends_with(" 2\n"));
  EXPECT_TRUE(lines("photofinish_overload_refusals_total{reason=\"max_memory\"}").ends_with(" 0\n"));
}

TEST_F(ExpositionTest, ARegionIsShownWhileThereIsOne) {
  EXPECT_EQ(lines("photofinish_region_info"), "");
  page.region("eu-west");
  EXPECT_EQ(lines("photofinish_region_info"), "photofinish_region_info{region=\"eu-west\"} 1\n");
  page.region("");
  EXPECT_EQ(lines("photofinish_region_info"), "");
}

TEST_F(ExpositionTest, SeriesCarryTheLabelsOfTheTable) {
  observe_everything(first);
  for (const auto& family : page.Collect()) {
    for (const auto& series : family.metric) {
      std::vector<std::string_view> labels;
      for (const auto& label : series.label) labels.push_back(label.name);
      EXPECT_TRUE(std::ranges::equal(labels, metric_named(family.name).labels)) << family.name;
    }
  }
}

// The serializer writes 16 digits, so it would write 0.000075 as 7.499999999999999e-05. A query for 0.000075 would not match that text.
TEST_F(ExpositionTest, EdgesReadAsTheyAreWritten) {
  observe_everything(first);
  for (const auto& family : page.Collect()) {
    const std::string shown = prometheus::TextSerializer{}.Serialize({family});
    for (const double edge : metric_named(family.name).buckets) {
      char written[32];
      std::snprintf(written, sizeof written, "le=\"%.15g\"", edge);
      EXPECT_NE(shown.find(written), std::string::npos) << family.name << " " << written;
    }
  }
}

TEST_F(ExpositionTest, AnAdaptiveRouteShowsItsBudgetAndNoOther) {
  first.declare_route("other");
  EXPECT_EQ(lines("photofinish_budget_fill"), "");
  page.watch([](merged_families& all) { all.add(names::max_extra_cost, {"fast"}, 0.1); });
  page.watch([](merged_families& all) { all.add(names::budget_fill, {"fast"}, 0.75); });
  EXPECT_EQ(lines("photofinish_max_extra_cost"), "photofinish_max_extra_cost{route=\"fast\"} 0.1\n");
  EXPECT_EQ(lines("photofinish_budget_fill"), "photofinish_budget_fill{route=\"fast\"} 0.75\n");
}

TEST_F(ExpositionTest, OneFullRequestReadsAsExpected) {
  observe_everything(first);
  page.watch([](merged_families& all) { all.add(names::egress_works, {}, true); });
  std::istringstream text(page.text());
  std::string shown;
  for (std::string line; std::getline(text, line);) {
    const bool is_filler =
        line.starts_with("#") || line.ends_with(" 0") || line.find("_bucket{") != std::string::npos;
    if (!is_filler && !line.starts_with("process_")) shown.append(line).append("\n");
  }
  EXPECT_EQ(
      shown,
      R"(photofinish_requests_total{route="fast",endpoint="chat_completions",client="search",outcome="ok"} 1
photofinish_request_ttft_seconds_count{route="fast"} 1
photofinish_request_ttft_seconds_sum{route="fast"} 0.126
photofinish_request_duration_seconds_count{route="fast"} 1
photofinish_request_duration_seconds_sum{route="fast"} 1.13
photofinish_overhead_seconds_count{route="fast"} 1
photofinish_overhead_seconds_sum{route="fast"} 0.0002
photofinish_race_margin_seconds_count{route="fast"} 1
photofinish_race_margin_seconds_sum{route="fast"} 0.125
photofinish_attempts_total{provider="groq",model="m",outcome="won",reason="none"} 1
photofinish_attempts_total{provider="mistral",model="m",outcome="lost",reason="none"} 1
photofinish_attempt_ttft_seconds_count{provider="groq",model="m",sample="won"} 1
photofinish_attempt_ttft_seconds_sum{provider="groq",model="m",sample="won"} 0.125
photofinish_attempt_ttft_seconds_count{provider="mistral",model="m",sample="observed"} 1
photofinish_attempt_ttft_seconds_sum{provider="mistral",model="m",sample="observed"} 0.25
photofinish_attempt_abandoned_seconds_count{provider="mistral",model="m"} 1
photofinish_attempt_abandoned_seconds_sum{provider="mistral",model="m"} 0.25
photofinish_attempt_first_byte_seconds_count{provider="groq",model="m"} 1
photofinish_attempt_first_byte_seconds_sum{provider="groq",model="m"} 0.09
photofinish_attempt_first_visible_seconds_count{provider="groq",model="m"} 1
photofinish_attempt_first_visible_seconds_sum{provider="groq",model="m"} 0.19
photofinish_attempt_reported_seconds_count{provider="groq",model="m",stage="prompt"} 1
photofinish_attempt_reported_seconds_sum{provider="groq",model="m",stage="prompt"} 0.025
photofinish_attempt_reported_seconds_count{provider="groq",model="m",stage="queue"} 1
photofinish_attempt_reported_seconds_sum{provider="groq",model="m",stage="queue"} 0.04
photofinish_cancel_seconds_count{provider="mistral"} 1
photofinish_cancel_seconds_sum{provider="mistral"} 4e-05
photofinish_upstream_connections_total{provider="groq",kind="reused"} 1
photofinish_upstream_connections_total{provider="mistral",kind="new"} 1
photofinish_output_tokens_per_second_count{provider="groq",model="m",source="tokenizer"} 1
photofinish_output_tokens_per_second_sum{provider="groq",model="m",source="tokenizer"} 500
photofinish_output_tokens_per_second_count{provider="groq",model="m",source="usage"} 1
photofinish_output_tokens_per_second_sum{provider="groq",model="m",source="usage"} 500
photofinish_output_tokens_total{provider="groq",model="m",source="tokenizer"} 512
photofinish_output_tokens_total{provider="groq",model="m",source="usage"} 512
photofinish_reasoning_tokens_total{provider="groq",model="m"} 64
photofinish_decode_tokens_total{provider="groq",model="m",source="tokenizer"} 500
photofinish_decode_tokens_total{provider="groq",model="m",source="usage"} 500
photofinish_decode_seconds_total{provider="groq",model="m",source="tokenizer"} 1
photofinish_decode_seconds_total{provider="groq",model="m",source="usage"} 1
photofinish_unmeasurable_total{provider="mistral",model="m",reason="broken"} 1
photofinish_repeated_attempts_total{provider="mistral",model="m",reason="reasoning"} 1
photofinish_lost_input_tokens_total{provider="mistral",model="m",billing="unknown"} 1000
photofinish_lost_output_tokens_total{provider="mistral",model="m",billing="unknown"} 1
photofinish_cost_usd_total{provider="groq",model="m",kind="winner"} 0.001
photofinish_unpriced_attempts_total{provider="mistral",model="m"} 1
photofinish_speculation_cost_total{route="fast",kind="hedge",currency="usd"} 0.25
photofinish_speculation_cost_total{route="fast",kind="winner",currency="usd"} 0.5
photofinish_starts_total{route="fast",why="first"} 1
photofinish_starts_total{route="fast",why="hedge"} 1
photofinish_hedges_held_back_total{route="fast",reason="empty"} 1
photofinish_moves_total{route="fast",cause="slower"} 1
photofinish_move_cost_usd_total{route="fast"} 0.125
photofinish_prompt_cache_tokens_total{provider="groq",model="m",result="read"} 900
photofinish_prompt_cache_tokens_total{provider="groq",model="m",result="uncached"} 100
photofinish_prompt_cache_matches_total{provider="groq",model="m",expected="warm",found="warm"} 1
photofinish_prefill_finished_total{provider="mistral",model="m"} 1
photofinish_prediction_ratio_count{route="fast"} 1
photofinish_prediction_ratio_sum{route="fast"} 1.25
photofinish_predictions_within_total{route="fast",quantile="0.9"} 1
photofinish_predictions_within_total{route="fast",quantile="0.99"} 1
photofinish_choice_changes_total{route="fast"} 1
photofinish_deadlines_total{route="fast",end="missed"} 1
photofinish_holds_total{route="fast",why="turned"} 1
photofinish_hold_seconds_count{route="fast"} 1
photofinish_hold_seconds_sum{route="fast"} 0.3
photofinish_runners_up_total{route="fast",end="unused"} 1
photofinish_crawls_total{provider="groq",model="m",end="reported"} 1
photofinish_limit_rejections_total{client="search",team="web",kind="rpm"} 1
photofinish_limit_reached_total{scope="team",name="web",kind="rpm"} 1
photofinish_client_tokens_total{client="search",team="web",direction="input"} 1000
photofinish_client_cost_usd_total{client="search",team="web",kind="winner"} 0.001
photofinish_project_tokens_total{project="atlas",direction="input"} 1000
photofinish_project_cost_usd_total{project="atlas",kind="winner"} 0.001
photofinish_egress_works 1
gen_ai_server_time_to_first_token_seconds_count{gen_ai_operation_name="chat",gen_ai_provider_name="groq",gen_ai_request_model="m"} 1
gen_ai_server_time_to_first_token_seconds_sum{gen_ai_operation_name="chat",gen_ai_provider_name="groq",gen_ai_request_model="m"} 0.125
gen_ai_server_time_per_output_token_seconds_count{gen_ai_operation_name="chat",gen_ai_provider_name="groq",gen_ai_request_model="m"} 1
gen_ai_server_time_per_output_token_seconds_sum{gen_ai_operation_name="chat",gen_ai_provider_name="groq",gen_ai_request_model="m"} 0.002
gen_ai_client_token_usage_count{gen_ai_operation_name="chat",gen_ai_provider_name="groq",gen_ai_request_model="m",gen_ai_token_type="input"} 1
gen_ai_client_token_usage_sum{gen_ai_operation_name="chat",gen_ai_provider_name="groq",gen_ai_request_model="m",gen_ai_token_type="input"} 1000
gen_ai_client_token_usage_count{gen_ai_operation_name="chat",gen_ai_provider_name="groq",gen_ai_request_model="m",gen_ai_token_type="output"} 1
gen_ai_client_token_usage_sum{gen_ai_operation_name="chat",gen_ai_provider_name="groq",gen_ai_request_model="m",gen_ai_token_type="output"} 512
gen_ai_client_operation_duration_seconds_count{gen_ai_operation_name="chat",gen_ai_provider_name="groq",gen_ai_request_model="m",error_type=""} 1
gen_ai_client_operation_duration_seconds_sum{gen_ai_operation_name="chat",gen_ai_provider_name="groq",gen_ai_request_model="m",error_type=""} 1.125
photofinish_cache_requests_total{route="fast",result="hit"} 1
photofinish_guardrail_seconds_count{name="pii",verdict="pass"} 1
photofinish_guardrail_seconds_sum{name="pii",verdict="pass"} 0.125
photofinish_config_last_reload_successful 1
photofinish_build_info{version="1.2.3",commit="abc123",compiler="GCC 12.2"} 1
)");
}

}  // namespace
}  // namespace photofinish::metrics
