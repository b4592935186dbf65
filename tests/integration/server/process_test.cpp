// Tests the gateway's process with signals, and without free file descriptors: no accepted request is lost, and no loop spins.
#include "tests/integration/server/asked_process.hpp"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace photofinish::testing {
namespace {

using std::chrono::operator""ms;

// Streams one word, and a second word after the given condition becomes true.
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

// Returns true if the process uses less than this share of a CPU during this time. A loop that spins would use more.
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
  EXPECT_NE(gateway.output().find("outcome=drained"), std::string::npos);
}

TEST(Process, ASecondSigtermEndsItAtOnce) {
  scripted_provider silent(stays_silent());
  gateway_process gateway({.config = one_provider(silent)});
  test_client waiting(gateway.port());
  waiting.post(body);
  silent.request();
  gateway.signal(SIGTERM);
  // Waits until the first signal is handled, because the kernel merges two pending signals of the same kind into one.
  ASSERT_TRUE(comes_true([&] { return fetch(gateway.port(), "/readyz").status == 503; }));
  gateway.signal(SIGTERM);
  EXPECT_EQ(gateway.exit_code(), 0);
}

// The log thread is blocked in the kernel forever. After the first signal, the test sends further signals all the time. These signals must
// not kill the process before it has saved its statistics and reported success.
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
    gateway.signal(SIGTERM);  // the signal is sent as soon as the banner appears
    gateway.signal(SIGINT);
    EXPECT_EQ(gateway.exit_code(), 0);
  }
}

// The configuration file is a pipe, as an example of files that block when they are opened or read.
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
    EXPECT_TRUE(comes_true([&] { return good + bad >= before + 8; }));  // waits until each client has sent two more requests
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

// A request without a key shows whether the gateway still checks access keys.
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

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // the sanitizers need a large address space, so the test is skipped
TEST(Process, ARequestThatFindsNoMemoryFailsAlone) {
  scripted_provider provider(streams({"still ", "here"}));
  gateway_process gateway({.config = one_provider(provider, "limits: {max_body: 128MiB, max_memory: 1GiB}\n")});
  EXPECT_EQ(ask(gateway.port()).text(), "still here");
  gateway.limit_memory(24u << 20);
  test_client giant(gateway.port());
  giant.post(R"({"model":"r","messages":[{"role":"user","content":")" + std::string(96u << 20, 'a') + R"("}]})");
  const http_response refused = giant.read();
  EXPECT_EQ(refused.status, 503);
  EXPECT_EQ(refused.error("code"), "gateway_overloaded");
  EXPECT_NE(refused.error("message").find("no memory"), std::string::npos) << refused.body;
  for (int each = 0; each < 4; ++each) EXPECT_EQ(ask(gateway.port()).text(), "still here");
  EXPECT_FALSE(gateway.has_ended());
  EXPECT_NE(gateway.output().find("a request ended because of an internal error: std::bad_alloc"), std::string::npos);
}
#endif

}  // namespace
}  // namespace photofinish::testing
