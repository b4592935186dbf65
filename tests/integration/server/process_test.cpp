// The binary under an operator's hand and without descriptors: nothing accepted is lost, nothing spins, and no key
// shows anywhere in what it says.
#include "tests/support/gateway/gateway_process.hpp"
#include "tests/support/gateway/scripted_provider.hpp"
#include "tests/support/gateway/test_client.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <functional>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace photofinish::testing {
namespace {

using std::chrono::operator""ms;

std::string provider_section(const std::string& name, const scripted_provider& at, const std::string& key = "none") {
  return "  " + name + ": {base_url: \"http://127.0.0.1:" + std::to_string(at.port()) + "/v1\", api_key: \"" + key + "\"}\n";
}

std::string one_provider(const scripted_provider& at, const std::string& more = "") {
  return "providers:\n" + provider_section("p", at) + "routes: {r: {targets: [p/m]}}\n" + more;
}

const std::string body = R"({"model":"r","messages":[{"role":"user","content":"hi"}],"stream":true})";

http_response ask(std::uint16_t port, const std::string& fields = "") {
  test_client client(port);
  client.post(body, fields);
  return client.read();
}

http_response fetch(std::uint16_t port, const std::string& path) {
  test_client client(port);
  client.get(path);
  return client.read();
}

bool comes_true(const std::function<bool()>& it) {
  const auto until = test_clock::now() + patience;
  while (!it()) {
    if (test_clock::now() > until) return false;
    std::this_thread::sleep_for(5ms);
  }
  return true;
}

// One word, the second once it may come.
scripted_provider::script streams_around(std::function<bool()> may) {
  return [may = std::move(may)](provider_call& call) {
    call.stream_head();
    call.event(token_chunk("one"));
    if (!call.wait_until(may)) return;
    call.event(token_chunk(" two"));
    call.event(finish_chunk());
    call.end();
  };
}

bool listens(std::uint16_t port) {
  try {
    test_client client(port);
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

// It takes less than that share of a CPU for so long. What spins never does.
bool rests(const gateway_process& gateway, milliseconds time, double share) {
  const double before = gateway.cpu_seconds();
  const auto from = test_clock::now();
  std::this_thread::sleep_for(time);
  const std::chrono::duration<double> passed = test_clock::now() - from;
  return gateway.cpu_seconds() - before < share * passed.count();
}

struct temporary_folder {
  temporary_folder() {
    std::string pattern = std::filesystem::temp_directory_path() / "photofinish_state_XXXXXX";
    path = ::mkdtemp(pattern.data());
  }
  ~temporary_folder() { std::filesystem::remove_all(path); }
  std::string path;
};

std::size_t count_of(const std::string& text, const std::string& words) {
  std::size_t count = 0;
  for (std::size_t at = text.find(words); at != std::string::npos; at = text.find(words, at + 1)) ++count;
  return count;
}

TEST(Process, SigtermFlipsReadinessServesOnAndCutsNoStream) {
  std::atomic<bool> may_end = false;
  scripted_provider provider(in_turn({streams_around([&] { return may_end.load(); }), streams({"late"})}));
  gateway_process gateway({.config = one_provider(provider, "drain_delay: 600s\n")});
  test_client streaming(gateway.port());
  streaming.post(body);
  streaming.read_until("one");
  gateway.signal(SIGTERM);
  EXPECT_TRUE(comes_true([&] { return fetch(gateway.port(), "/readyz").status == 503; }));
  EXPECT_EQ(fetch(gateway.port(), "/livez").field_or("connection", ""), "close");
  test_client late(gateway.port());
  late.post(body);
  const http_response got = late.read();
  EXPECT_EQ(got.status, 200) << "it serves on for the drain delay";
  EXPECT_EQ(got.field_or("connection", ""), "close");
  may_end = true;
  const http_response streamed = streaming.read();
  EXPECT_TRUE(streamed.is_complete);
  EXPECT_EQ(streamed.text(), "one two");
}

TEST(Process, BehindItsDrainDelayItFinishesStreamsAndExitsWithZero) {
  std::atomic<bool> may_end = false;
  scripted_provider provider(streams_around([&] { return may_end.load(); }));
  gateway_process gateway({.config = one_provider(provider, "drain_delay: 200ms\n")});
  test_client streaming(gateway.port());
  streaming.post(body);
  streaming.read_until("one");
  const auto signalled_at = test_clock::now();
  gateway.signal(SIGTERM);
  EXPECT_TRUE(comes_true([&] { return !listens(gateway.port()); }));
  EXPECT_GE(test_clock::now() - signalled_at, 200ms) << "it serves on for the drain delay";
  may_end = true;
  const http_response streamed = streaming.read();
  EXPECT_TRUE(streamed.is_complete);
  EXPECT_EQ(streamed.text(), "one two");
  streaming.fin();
  EXPECT_EQ(gateway.exit_code(), 0);
}

TEST(Process, AClientThatNeverReadsIsCutAtTheDrainTimeout) {
  scripted_provider endless(never_ends());
  gateway_process gateway({.config = one_provider(endless, "drain_delay: 0s\ndrain_timeout: 500ms\n")});
  test_client wedged(gateway.port(), 4096);
  wedged.post(body);
  endless.request();
  const auto signalled_at = test_clock::now();
  gateway.signal(SIGTERM);
  EXPECT_TRUE(comes_true([&] { return rests(gateway, 300ms, 0.5); })) << "waiting for the end does not spin";
  EXPECT_EQ(gateway.exit_code(), 0);
  EXPECT_GE(test_clock::now() - signalled_at, 500ms);
  EXPECT_NE(gateway.output().find("drain_timeout has passed"), std::string::npos);
}

TEST(Process, ASecondSigtermEndsItAtOnce) {
  scripted_provider silent(stays_silent());
  gateway_process gateway({.config = one_provider(silent)});
  test_client waiting(gateway.port());
  waiting.post(body);
  silent.request();
  gateway.signal(SIGTERM);
  // Two of a kind at once are one to the kernel.
  ASSERT_TRUE(comes_true([&] { return fetch(gateway.port(), "/readyz").status == 503; }));
  gateway.signal(SIGTERM);
  EXPECT_EQ(gateway.exit_code(), 0);
}

// Its log thread is in the kernel for ever. From the first signal on more come all the time: none of them may kill it
// before it has kept its statistics, and said that all is well.
TEST(Process, ALogThatIsNotReadNorManySignalsKeepItFromEndingInOrder) {
  scripted_provider provider(streams({"hi"}));
  const temporary_folder state;
  const std::string config = one_provider(provider, "drain_delay: 0s\nlog_level: debug\nstate_dir: " + state.path + "\n");
  gateway_process gateway({.config = config, .is_log_stuck = true});
  EXPECT_EQ(ask(gateway.port()).text(), "hi");
  std::optional<int> exit_code;
  const auto until = test_clock::now() + patience;
  while (!gateway.has_ended() && test_clock::now() < until) {
    gateway.signal(SIGTERM);
    exit_code = gateway.exit_code(1ms);
  }
  EXPECT_EQ(exit_code, 0);
  EXPECT_TRUE(std::filesystem::exists(state.path + "/stats"));
}

TEST(Process, ASignalBetweenTheBannerAndTheFirstTurnOfTheLoopStopsItInOrder) {
  scripted_provider provider(streams({"hi"}));
  for (int count = 0; count < 10; ++count) {
    gateway_process gateway({.config = one_provider(provider, "drain_delay: 0s\n")});
    gateway.signal(SIGTERM);  // as soon as the banner is seen
    gateway.signal(SIGINT);
    EXPECT_EQ(gateway.exit_code(), 0);
  }
}

// A pipe stands for all that blocks when it is opened or read.
TEST(Process, AConfigurationThatBlocksCostsTheReloadAndNothingElse) {
  scripted_provider provider(streams({"hi"}));
  gateway_process gateway({.config = one_provider(provider, "drain_delay: 0s\n")});
  std::filesystem::remove(gateway.config_file());
  ASSERT_EQ(::mkfifo(gateway.config_file().c_str(), 0600), 0);
  gateway.signal(SIGHUP);
  EXPECT_TRUE(comes_true([&] { return gateway.output().find("is a pipe, not a regular file") != std::string::npos; }));
  EXPECT_EQ(fetch(gateway.port(), "/metrics").status, 200);
  EXPECT_EQ(ask(gateway.port()).text(), "hi");
  gateway.signal(SIGTERM);
  EXPECT_EQ(gateway.exit_code(), 0);
}

TEST(Process, ReloadsUnderLoadLoseNothing) {
  scripted_provider provider(streams({"a", "b"}, 0ms, 2ms));
  gateway_process gateway({.config = one_provider(provider)});
  std::atomic<int> good{0}, bad{0};
  std::atomic<bool> is_over{false};
  std::vector<std::jthread> clients;
  for (int count = 0; count < 4; ++count)
    clients.emplace_back([&] {
      while (!is_over) (ask(gateway.port()).text() == "ab" ? good : bad)++;
    });
  for (int count = 0; count < 20; ++count) {
    gateway.write_config(count % 2 == 0 ? "providers: {broken" : one_provider(provider, "log_level: warn\n"));
    const int before = good + bad;
    gateway.signal(SIGHUP);
    EXPECT_TRUE(comes_true([&] { return good + bad >= before + 8; }));  // two of each client
  }
  is_over = true;
  clients.clear();
  EXPECT_EQ(bad, 0);
  EXPECT_TRUE(comes_true([&] { return gateway.output().find("the old one stays in use") != std::string::npos; }));
}

TEST(Process, AFileThatYamlWouldReadForEverIsRefusedInAReload) {
  scripted_provider provider(streams({"hi"}));
  gateway_process gateway({.config = one_provider(provider)});
  gateway.write_config("x: 1\n]\n, bJ]\n");
  gateway.signal(SIGHUP);
  EXPECT_TRUE(comes_true([&] { return gateway.output().find("the old one stays in use") != std::string::npos; }));
  EXPECT_EQ(ask(gateway.port()).text(), "hi");
  EXPECT_EQ(fetch(gateway.port(), "/metrics").status, 200);
}

// Which answer a caller without a key gets says whether the access keys are in force.
TEST(Process, AReloadOfAFileThatWasCutShortNeitherOpensNorEmptiesIt) {
  scripted_provider provider(streams({"hi"}));
  const std::string keys = "access_keys: [{name: team, key: door-0123456789}]\n";
  gateway_process gateway({.config = one_provider(provider, keys)});
  const std::string key = "authorization: Bearer door-0123456789\r\n";
  const auto refused = [&](std::size_t times) {
    return comes_true([&] { return count_of(gateway.output(), "the old one stays in use") == times; });
  };
  std::size_t times = 0;
  for (const std::string& cut : {std::string("providers: {}\n"), one_provider(provider)}) {
    gateway.write_config(cut);
    gateway.signal(SIGHUP);
    EXPECT_TRUE(refused(++times)) << cut << gateway.output();
    EXPECT_EQ(ask(gateway.port()).status, 401);
    EXPECT_EQ(ask(gateway.port(), key).text(), "hi");
  }
  EXPECT_NE(gateway.output().find("allow_emptying: true"), std::string::npos) << "what to do is said";
  std::filesystem::remove(gateway.config_file());
  gateway.signal(SIGHUP);
  EXPECT_TRUE(refused(++times)) << "a file that has gone is not replaced by what the environment allows";
  EXPECT_EQ(ask(gateway.port()).status, 401);

  gateway.write_config(one_provider(provider, "allow_emptying: true\n"));
  gateway.signal(SIGHUP);
  EXPECT_TRUE(comes_true([&] { return ask(gateway.port()).status == 200; }));
}

TEST(Process, ClientsThatLeaveInTheMiddleOfAWriteDoNotEndIt) {
  scripted_provider endless(never_ends());
  gateway_process gateway({.config = one_provider(endless)});
  for (int count = 0; count < 10; ++count) {
    test_client client(gateway.port());
    client.post(body);
    client.read_until("on");
    client.reset();
  }
  EXPECT_EQ(fetch(gateway.port(), "/livez").status, 200);
}

TEST(Process, WithoutDescriptorsItAnswersTheAdminDoesNotSpinAndRecovers) {
  scripted_provider provider(streams({"hi"}));
  gateway_process gateway({.config = one_provider(provider, "admin: 127.0.0.1:0\n"), .max_descriptors = 64});
  {
    std::vector<test_client> crowd;
    for (int count = 0; count < 500; ++count) crowd.emplace_back(gateway.port());
    EXPECT_EQ(fetch(gateway.admin_port(), "/metrics").status, 200);
    EXPECT_TRUE(comes_true([&] { return rests(gateway, 1'000ms, 0.05); })) << "under 5 % of a CPU, once the rush is over";
    EXPECT_EQ(crowd.back().read().status, 503) << "one client too many gets an error";
  }
  const auto is_served = [&] {
    const http_response got = ask(gateway.port());
    return got.status == 200 && got.text() == "hi";
  };
  EXPECT_TRUE(comes_true(is_served)) << "recovers";
}

// Every key that passes through, and every way in which a provider may throw one back.
TEST(Process, NoKeyShowsInLogMetricsErrorsOrHeaders) {
  const std::string configured = "sk-configured-0123456789", own = "sk-callers-0123456789", door = "door-0123456789abc",
                    mistaken = "sk-mistaken-0123456789", wrong = "door-wrong-0123456789";
  const auto echo = [](provider_call& call) { return "you sent " + call.request().field("authorization"); };
  scripted_provider in_error([&](provider_call& call) {
    call.answer(401, R"({"error":{"message":")" + echo(call) + R"("}})", "X-Echo: " + echo(call) + "\r\n");
  });
  scripted_provider in_redirect([&](provider_call& call) {
    call.answer(307, "", "Location: http://127.0.0.1:9/?key=" + call.request().field("authorization").substr(7) + "\r\n");
  });
  scripted_provider in_first_event([&](provider_call& call) {
    call.stream_head();
    call.event(R"({"error":{"message":")" + echo(call) + R"("}})");
    call.end();
  });
  scripted_provider in_later_event([&](provider_call& call) {
    call.stream_head();
    call.event(token_chunk("hi"));
    call.wait(20ms);
    call.event(R"({"error":{"message":")" + echo(call) + R"("}})");
  });
  std::string config = "log_level: debug\nadmin: 127.0.0.1:0\naccess_keys: [{name: team, key: \"${DOOR}\"}]\nproviders:\n";
  std::string routes = "routes:\n";
  int number = 0;
  for (const scripted_provider* each : {&in_error, &in_redirect, &in_first_event, &in_later_event}) {
    const std::string name = "p" + std::to_string(number++);
    config += provider_section(name, *each, "${KEY}");
    routes += "  " + name + "-only: {targets: [" + name + "/m]}\n";
  }
  gateway_process gateway({.config = config + routes, .environment = {{"KEY", configured}, {"DOOR", door}}});

  std::string seen;
  const auto try_with = [&](const std::string& model, const std::string& fields) {
    for (const char* stream : {"true", "false"}) {
      test_client client(gateway.port());
      client.post(R"({"model":")" + model + R"(","messages":[{"role":"user","content":"x"}],"stream":)" + stream + "}", fields);
      const http_response got = client.read();
      EXPECT_NE(got.status, 0);
      seen += got.head + "\n" + got.body + "\n";
    }
  };
  const std::string enter = "x-photofinish-key: " + door + "\r\n";
  for (int count = 0; count < number; ++count) {
    const std::string name = "p" + std::to_string(count);
    try_with(name + "-only", enter);
    try_with(name + "-only", enter + "x-provider-key-" + name + ": " + own + "\r\n");
    try_with(name + "-only", "Authorization: Bearer photofinish=" + door + "," + name + "=" + own + "\r\n");
  }
  try_with("p0-only", "Authorization: Bearer photofinish=" + door + ",typo=" + mistaken + "\r\n");
  try_with("p0-only", "Authorization: Bearer photofinish=" + door + "," + mistaken + "\r\n");
  try_with("p0-only", "Authorization: Bearer p0=" + mistaken + ",p0=" + mistaken + "\r\n");
  try_with("p0-only", "Authorization: Basic " + mistaken + "\r\n" + enter);
  try_with("p0-only", "x-provider-key-unknown: " + mistaken + "\r\n" + enter);
  try_with("p0-only", "Authorization: Bearer " + wrong + "\r\n");
  gateway.write_config("providers: {p0: {api_key: \"" + mistaken + "\", base_url: 5, hedders: {a: " + mistaken + "}}}\n");
  gateway.signal(SIGHUP);
  EXPECT_TRUE(comes_true([&] { return gateway.output().find("the old one stays in use") != std::string::npos; }));
  seen += fetch(gateway.admin_port(), "/metrics").body;
  gateway.signal(SIGINT);
  EXPECT_EQ(gateway.exit_code(), 0);
  seen += gateway.output();

  EXPECT_NE(seen.find("you sent"), std::string::npos) << "the echoes came through, without their keys";
  for (const std::string& key : {configured, own, door, mistaken, wrong})
    EXPECT_EQ(seen.find(key), std::string::npos) << key << "\n" << seen.substr(seen.find(key) < 300 ? 0 : seen.find(key) - 300, 600);
}

TEST(Process, ABenchThatIsCutShortSaysSoByItsExitCode) {
  scripted_provider provider(streams({"hi"}, 5ms));
  gateway_process gateway({.config = one_provider(provider)});
  const std::string url = "http://127.0.0.1:" + std::to_string(gateway.port()) + "/v1";
  const pid_t bench = ::fork();
  if (bench == 0) {
    const int nowhere = ::open("/dev/null", O_WRONLY);
    ::dup2(nowhere, 1), ::dup2(nowhere, 2);
    ::execl(PHOTOFINISH_BINARY, "photofinish", "bench", url.c_str(), "-m", "r", "-c", "2", "-n", "100000", nullptr);
    ::_exit(127);
  }
  EXPECT_TRUE(comes_true([&] { return provider.requests().size() > 20; }));
  ::kill(bench, SIGINT);
  int status = 0;
  ASSERT_EQ(::waitpid(bench, &status, 0), bench);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 130);
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream all(text);
  for (std::string line; std::getline(all, line);) lines.push_back(line);
  return lines;
}

// An answer, a refusal with a key in its path and its query, a model with an odd name, a reload, an end.
std::string log_of(const std::string& form) {
  scripted_provider provider(streams({"hi"}));
  gateway_process gateway({.config = one_provider(provider, "log_format: " + form + "\n")});
  EXPECT_EQ(ask(gateway.port()).text(), "hi");
  EXPECT_EQ(fetch(gateway.port(), "/v1/sk-aB3dE5fG7hI9kL1mN3oP5qR7?key=sk-query").status, 404);
  test_client client(gateway.port());
  client.post("{\"model\":\"quote\\\"\\n\\ud83d\\ude00\",\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}");
  EXPECT_EQ(client.read().status, 404);
  gateway.write_config("providers: {broken");
  gateway.signal(SIGHUP);
  EXPECT_TRUE(comes_true([&] { return gateway.output().find("the old one stays in use") != std::string::npos; }));
  gateway.signal(SIGINT);
  EXPECT_EQ(gateway.exit_code(), 0);
  const std::string all = gateway.output();
  EXPECT_EQ(all.find("sk-"), std::string::npos) << all;
  return all.substr(all.find("\n\n", all.find("try it:")) + 2);  // behind the banner
}

TEST(Process, AJsonLogIsAnObjectALine) {
  std::vector<nlohmann::json> events, messages;
  for (const std::string& line : lines_of(log_of("json"))) {
    ASSERT_TRUE(nlohmann::json::accept(line)) << line;
    const auto read = nlohmann::json::parse(line);
    EXPECT_TRUE(read.contains("time") && read.contains("level")) << line;
    EXPECT_TRUE(read.contains("event") != read.contains("message")) << line;
    (read.contains("event") ? events : messages).push_back(read);
  }
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(events.at(0).at("attempts").at(0).at("outcome"), "won");
  EXPECT_EQ(events.at(1).at("path"), "/v1/***");
  EXPECT_EQ(events.at(2).at("model"), "quote\"\n\xf0\x9f\x98\x80");
  EXPECT_EQ(messages.back().at("message"), "stopped");
}

TEST(Process, ALogEndsWithStoppedInEveryForm) {
  EXPECT_TRUE(log_of("text").ends_with(" info stopped\n"));
  const std::string logfmt = log_of("logfmt");
  EXPECT_TRUE(logfmt.ends_with(" level=info message=\"stopped\"\n"));
  for (const std::string& line : lines_of(logfmt)) EXPECT_TRUE(line.starts_with("time=")) << line;
}

}  // namespace
}  // namespace photofinish::testing
