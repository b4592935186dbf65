#include "gateway/commands/check.hpp"
#include "gateway/commands/commands.hpp"
#include "gateway/commands/explain.hpp"
#include "gateway/commands/models.hpp"
#include "gateway/commands/providers.hpp"
#include "gateway/commands/schema.hpp"
#include "gateway/commands/gateway_page.hpp"
#include "gateway/commands/stats.hpp"
#include "gateway/records/race_receipt.hpp"
#include "proxy/providers/presets.hpp"
#include "tests/support/gateway/table_environment.hpp"

#include <gtest/gtest.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <regex>
#include <sstream>
#include <string>

namespace photofinish::gateway {
namespace {

using tests::table_environment;

// Removes the settings hash from the output, because its 16 digits change whenever a setting is added. The test SettingsHash checks the
// hash.
std::string without_hash(const std::string& text) {
  return std::regex_replace(text, std::regex("hash: [0-9a-f]{16}\n"), "hash: …\n");
}

TEST(CheckCommand, ARightFileIsOkAndExitsZero) {
  const table_environment table{
      .files = {{"a.yaml", "providers: {groq: {api_key: k}}\nroutes: {r: {targets: [groq/x]}}\n"}}};
  std::ostringstream out, err;
  EXPECT_EQ(run_check("a.yaml", table.machine(), out, err), 0);
  const std::string text = without_hash(out.str());
  EXPECT_EQ(text.substr(0, text.find("catalogue: ")), "ok: a.yaml: 1 provider, 1 route\nhash: …\n");
  EXPECT_NE(text.find(" old, built into this program\n"), std::string::npos) << text;
  EXPECT_NE(text.find("catalogue: no budget counts the costs of these targets, because"), std::string::npos) << text;
  EXPECT_EQ(err.str(), "");
}

TEST(CheckCommand, NamesTargetsThatNoBudgetCounts) {
  const std::string file = "providers: {groq: {api_key: k}, vllm: {}}\nroutes: {r: {targets: [groq/x, vllm/m], "
                           "race: {policy: fallback}, max_budget: 5}}\n";
  const table_environment table{.files = {{"a.yaml", file}}};
  std::ostringstream out, err;
  EXPECT_EQ(run_check("a.yaml", table.machine(), out, err), 0) << err.str();
  EXPECT_NE(out.str().find("because their prices are unknown: groq/x. "), std::string::npos) << out.str();
}

TEST(CheckCommand, AWrongFileExitsTwoAndNamesThePlace) {
  const table_environment table{
      .files = {{"a.yaml", "providers: {groq: {api_key: k}}\nroutes: {r: {targets: [grok/x]}}\n"}}};
  std::ostringstream out, err;
  EXPECT_EQ(run_check("a.yaml", table.machine(), out, err), 2);
  EXPECT_EQ(out.str(), "");
  EXPECT_EQ(err.str(), "a.yaml:2:24: error: targets: unknown provider 'grok'; did you mean 'groq'?\n");
}

TEST(CheckCommand, SaysThatPromptsAreStoredAndWhereTheyCannotBe) {
  const table_environment table{.files = {{"a.yaml", "providers: {groq: {api_key: k}}\nroutes: {r: {targets: [groq/x]}}\n"
                                                     "content_log: {file: /nowhere-at-all/c.jsonl, routes: [r]}\n"}}};
  std::ostringstream out, err;
  EXPECT_EQ(run_check("a.yaml", table.machine(), out, err), 0) << err.str();
  EXPECT_NE(out.str().find("prompts and answers of 1 route are stored in plain text: /nowhere-at-all/c-2"),
            std::string::npos) << out.str();
  EXPECT_NE(out.str().find("this user has no write permission in /nowhere-at-all: "), std::string::npos) << out.str();
}

const std::string needs_secrets = R"(providers:
  groq: {}
  xai: {api_key: "${XAI}"}
  lab: {base_url: "${LAB_URL}", api_key: "file:/run/secrets/lab", headers: {x-a: "${XAI}"}}
  azure: {}
routes: {r: {targets: [groq/x, xai/y, lab/z], race: {policy: all}}}
listen: 0.0.0.0:80
workers: "${WORKERS}"
redis: {url: "${REDIS_URL}"}
alerts: {webhook: "file:/run/secrets/hook"}
id_secret: "${ID_SECRET}"
sealed_keys: {secrets: ["file:/run/secrets/seal"]}
tls: {cert_file: /tls/cert, key_file: /tls/key}
)";
const std::string two_keys = "access_keys: [{name: a, key: \"${KEY_A}\"}, {name: b, key: \"${KEY_B}\"}]\n";

TEST(CheckCommand, APullRequestIsCheckedWithoutSecrets) {
  for (const std::string& keys : {two_keys, std::string("access_keys: \"file:/run/keys.yaml\"\n")}) {
    const table_environment table{.files = {{"a.yaml", needs_secrets + keys}}};
    std::ostringstream out, err;
    EXPECT_EQ(run_check("a.yaml", table.machine(), out, err), 2);
    EXPECT_NE(err.str().find("error: "), std::string::npos) << "as before";
    std::ostringstream lenient_out, lenient_err;
    EXPECT_EQ(run_check("a.yaml", table.machine(), lenient_out, lenient_err, needed_secrets::none), 0);
    EXPECT_EQ(lenient_err.str(), "");
    const std::string text = lenient_out.str();
    EXPECT_EQ(text.find("--without-secrets: these values are missing here, so they were not checked: ${"), 0u) << text;
    for (const char* name : {"${GROQ_API_KEY}", "${XAI}", "${LAB_URL}", "file:/run/secrets/lab", "${WORKERS}",
                             "${REDIS_URL}", "file:/run/secrets/hook", "${ID_SECRET}", "file:/run/secrets/seal",
                             "file:/tls/cert", "file:/tls/key"})
      EXPECT_NE(text.find(name), std::string::npos) << name << " in " << text;
    EXPECT_NE(text.find("\nok: a.yaml: 4 providers, 1 route\n"), std::string::npos) << text;
    EXPECT_EQ(text.find("hash: ") != std::string::npos, keys == two_keys) << "a key file is a part of the hash";
  }
}

TEST(CheckCommand, WithoutSecretsEverythingElseIsChecked) {
  const table_environment table{
      .variables = {{"SET", "10 minutes"}},
      .files = {{"a.yaml", needs_secrets + two_keys +
                               "drain_delay: \"${SET}\"\nrace: {policy: alll}\nteams: {t: {rpm_limit: \"${X}y$\"}}\n"}}};
  std::ostringstream out, err;
  EXPECT_EQ(run_check("a.yaml", table.machine(), out, err, needed_secrets::none), 2);
  const std::string text = err.str();
  for (const char* problem : {"drain_delay: must be a duration", "policy: must be all, hedge"})
    EXPECT_NE(text.find(problem), std::string::npos) << text;
  EXPECT_NE(text.find("--without-secrets: "), std::string::npos) << text;
  EXPECT_EQ(out.str(), "");
  EXPECT_EQ(text.find("is not set"), std::string::npos) << text;
}

TEST(CheckCommand, AWarningIsPrintedAndStillOk) {
  const table_environment table{.files = {{"a.yaml", "providers: {groq: {}}\n"}}};
  std::ostringstream out, err;
  EXPECT_EQ(run_check("a.yaml", table.machine(), out, err), 0);
  EXPECT_EQ(err.str().find("a.yaml:1:19: warning: GROQ_API_KEY is not set"), 0u) << err.str();
}

TEST(CheckCommand, SaysWhereCredentialsAreLookedForAndInWhichOrder) {
  const table_environment table{
      .variables = {{"HOME", "/home/u"}, {"AWS_REGION", "us-east-1"}},
      .files = {{"a.yaml", "providers: {bedrock: {auth: aws}}\nroutes: {r: {targets: [bedrock/x]}}\n"},
                {"/home/u/.aws/config", "[default]\naws_access_key_id = AKIA1\naws_secret_access_key = s3cret\n"}}};
  std::ostringstream out, err;
  EXPECT_EQ(run_check("a.yaml", table.machine(), out, err), 0) << err.str();
  const std::string text = without_hash(out.str());
  EXPECT_EQ(text.substr(0, text.find("catalogue: ")),
            "ok: a.yaml: 1 provider, 1 route\n"
            "hash: …\n"
            "credentials of 'bedrock' are taken from the first of these places that exists:\n"
            "  1. the profile 'default' in /home/u/.aws/credentials and /home/u/.aws/config: has keys\n"
            "  2. the instance's role (IMDSv2) at http://169.254.169.254: can be checked only by a running gateway\n");
}

TEST(CheckCommand, WithoutAFileAndAKeyItSaysThatThereIsNothingToCheck) {
  std::ostringstream out, err;
  EXPECT_EQ(run_check(std::nullopt, table_environment{}.machine(), out, err), 0);
  EXPECT_NE(out.str().find("nothing to check"), std::string::npos);
  EXPECT_NE(out.str().find("three simulated providers"), std::string::npos) << "that is what serve would do";
}

TEST(CheckCommand, PrintsFiftyProblemsAndCountsTheRest) {
  std::string yaml = "providers:\n";
  for (int each = 0; each < 20'000; ++each) yaml += "  p" + std::to_string(each) + ": {}\n";
  yaml += "routes: {r: {targets: [p0/m], race: {policy: alll}}}\n";
  const table_environment table{.files = {{"a.yaml", yaml}}};
  std::ostringstream out, err;
  EXPECT_EQ(run_check("a.yaml", table.machine(), out, err), 2);
  const std::string text = err.str();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 51);
  EXPECT_NE(text.find("\nand 19951 more\n"), std::string::npos) << text.substr(text.size() - 100);
}

TEST(StatsCommand, SaysInWordsWhyAGatewayRefused) {
  const auto holds = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
  const std::string body = R"({"error":{"message":"this access key does not open it","type":"permission_error"}})";
  EXPECT_TRUE(holds(stats_problem(401, body, false), "name that variable with --key-env"));
  EXPECT_TRUE(holds(stats_problem(401, body, true), "not one of the gateway's access keys"));
  EXPECT_TRUE(holds(stats_problem(404, "<html>", false), "is this the address of a photofinish gateway?"));
  EXPECT_EQ(stats_problem(403, body, true), "this access key does not open it");
  EXPECT_LT(stats_problem(500, std::string(1'000'000, 'x'), false).size(), 300u);
}

TEST(GatewayPage, IsPrintedByItsCommandUnlessItIsAnotherServersAnswer) {
  std::ostringstream out, err;
  const auto print = [](const nlohmann::json& page, std::ostream& text) {
    text << page.at("name").get<std::string>();
    return 3;
  };
  EXPECT_EQ(print_parsed(R"({"name":"a\u001b[2Jb"})", "a page", print, out, err), 3);
  EXPECT_EQ(out.str().find('\x1b'), std::string::npos) << "a terminal would obey it";
  EXPECT_EQ(err.str(), "");
  for (const char* page : {"<html>", "{}", "[]"}) {
    err.str("");
    EXPECT_EQ(print_parsed(page, "a page", print, out, err), 1);
    EXPECT_EQ(err.str(), "error: the answer is not a page\n") << page;
  }
}

TEST(ExplainCommand, TellsARaceAsTextAndRefusesWhatIsNoReceipt) {
  race_receipt race;
  race.request.route = "fast";
  race.plan.policy = racing::race_policy::adaptive;
  race.plan.candidates = {{.target = "groq/m", .usual = 0.31, .late = 1.2, .errors = 0.01, .samples = 300}};
  race.plan.skipped = {{"xai/m", racing::skip_reason::cooldown}};
  race.attempts = {{.target = "groq/m", .ended = 0.298, .end = racing::attempt_end::won, .first_token = 0.298}};
  race.winner = 0;
  race.choice.emplace();
  race.choice->made.count = 1;
  race.choice->won_cost = 1'450;
  race.plan.candidates.push_back({.target = "cerebras/m", .level = 0.4, .spread = 0.3, .has_headroom = false});
  race.plan.skipped.push_back({"lab/m", racing::skip_reason::required, "quantization"});
  race.request.rule = "apply", race.request.task = "edit", race.request.project = "search", race.request.work = "batch";
  race.hold = {"groq/m", 0.15, 0.48, racing::hold_end::overtaken};
  race.predicted_end = 1.9;
  race.answer.emplace();
  race.answer->seconds = 2.25;
  racing::adaptive_choice& made = race.choice->made;
  made.count = 2;
  made.order = {0, 1};
  made.hedge_after = 0.72, made.hedge_share = 0.06, made.value = 0.41, made.value_unhedged = 0.52;
  made.rescue_after = 3.5;
  made.probe = std::uint8_t{1}, made.why_probe = racing::probe_cause::stale;
  made.deadline = 2.0, made.deadline_chance = 0.87, made.is_hastened = true;
  race.choice->deadline = "missed";
  race.choice->predicted_p50 = 0.31, race.choice->predicted_p90 = 0.6, race.choice->predicted_p99 = 1.2;
  race.request.session = "0f9c2a";
  race.session_total.emplace();
  race.session_total->amounts = {.requests = 14, .input_tokens = 120'300, .output_tokens = 5'100, .nano_usd = 420'000'000,
                                 .lost_nano_usd = 30'000'000};
  std::ostringstream out, err;
  EXPECT_EQ(print_race(receipt_page(race), out, err), 0);
  for (const char* part :
       {"groq/m first (310 ms expected), cerebras/m after 720 ms, cerebras/m tried in addition: not tried for a long time; groq/m won "
        "after 298 ms", "route fast, rule apply, task edit, project search, session 0f9c2a, class batch\n",
        "session so far: requests 14, input tokens 120300, output tokens 5100; USD 0.420000, and 0.030000 for attempts that lost\n",
        "policy adaptive, sort listed, win on any", "left out: xai/m (cooldown)", "left out: lab/m (required: quantization)",
        "hedge: cerebras/m after 720 ms, when 6.0 % of first tokens have not arrived yet; expected wait: 410 ms with the hedge, including "
        "its cost, and 520 ms without", "rescue: after 3500 ms of silence", "trial: cerebras/m (not tried for a long time)",
        "deadline: 2000 ms; the chance of meeting the deadline is 87.0 %; further targets were started at the same time; missed",
        "held: groq/m from 150 ms to 480 ms (", "first token: predicted p50 310 ms, p90 600 ms, p99 1200 ms",
        "end of the answer: predicted 1900 ms, was 2250 ms", "ready, no headroom", "cost in tokens: winner 1450"})
    EXPECT_NE(out.str().find(part), std::string::npos) << part << "\n" << out.str();
  EXPECT_EQ(print_race(R"({"object":"list"})", out, err), 1);
  EXPECT_EQ(print_race("<html>", out, err), 1);
  EXPECT_NE(err.str().find("the receipt of a race"), std::string::npos);
  EXPECT_EQ(stats_problem(404, R"({"error":{"message":"no receipt","code":"race_not_found"}})", false), "no receipt");
}

TEST(ModelsCommand, ListsRoutesWithTheirTargetsAndWhatMayBeCalledDirectly) {
  const table_environment table{.files = {{"a.yaml", R"(
providers: {groq: {api_key: k, models: [big]}, xai: {api_key: k}}
routes:
  fast: {targets: [groq/x, xai/y], race: {policy: all}, aliases: ['gpt-*']}
  one: {targets: [xai/y]}
)"}}};
  std::ostringstream out, err;
  EXPECT_EQ(run_models("a.yaml", table.machine(), out, err), 0);
  EXPECT_EQ(out.str(),
            "MODEL     POLICY      TARGETS\n"
            "fast      all         groq/x\n"
            "                      xai/y\n"
            "one       one target  xai/y\n"
            "gpt-*     alias       fast\n"
            "groq/big  direct      \n");
  EXPECT_EQ(run_models("nope.yaml", table.machine(), out, err), 2);
}

TEST(ProvidersCommand, ListsEveryPresetAndWhetherItsKeyIsSet) {
  std::ostringstream out;
  EXPECT_EQ(run_providers(table_environment{.variables = {{"GOOGLE_API_KEY", "g"}}}.machine(), out), 0);
  std::istringstream lines(out.str());
  std::string line;
  std::map<std::string, std::string> rows;
  while (std::getline(lines, line)) rows[line.substr(0, line.find(' '))] = line;
  EXPECT_EQ(rows.size(), proxy::presets().size() + 1);
  EXPECT_NE(rows.at("gemini").find("GEMINI_API_KEY, GOOGLE_API_KEY "), std::string::npos)
      << rows.at("gemini");
  EXPECT_NE(rows.at("gemini").find("  set "), std::string::npos) << rows.at("gemini");
  EXPECT_NE(rows.at("groq").find(" not set "), std::string::npos);
  EXPECT_NE(rows.at("vllm").find(" not needed "), std::string::npos);
}

TEST(SchemaCommand, PrintsJson) {
  std::ostringstream out;
  EXPECT_EQ(run_schema(out), 0);
  EXPECT_TRUE(nlohmann::json::accept(out.str()));
}

TEST(Commands, AreRegisteredByName) {
  CLI::App app;
  int exit_code = -1;
  add_check_command(app, exit_code);
  add_models_command(app, exit_code);
  add_providers_command(app, exit_code);
  add_schema_command(app, exit_code);
  testing::internal::CaptureStdout();
  app.parse("schema", false);
  EXPECT_TRUE(nlohmann::json::accept(testing::internal::GetCapturedStdout()));
  EXPECT_EQ(exit_code, 0);

  testing::internal::CaptureStderr();
  app.parse("check --config /nowhere/to/be/found.yaml", false);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "/nowhere/to/be/found.yaml: error: there is no such file\n");
  EXPECT_EQ(exit_code, 2);
}

}  // namespace
}  // namespace photofinish::gateway
