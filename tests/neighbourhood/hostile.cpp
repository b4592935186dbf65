// The hostile half of the neighbourhood test, as a process without arguments.
// - At its start it starts the hostile providers. It prints `provider NAME PORT http1|http2` for each provider, and then `ready`.
// - A line `attack PORT SECONDS [TEXT]` on standard input starts the hostile clients, which attack the gateway at this port. If TEXT is
//   given, only the kinds of clients whose names contain TEXT are started.
// - After an attack it prints `did COUNT: KIND` for each kind of client, `wrong COUNT: KIND: FIRST` for each kind that saw errors, and
//   then `done`.
// - It ends when its standard input ends.
#include "tests/neighbourhood/hostile_clients.hpp"
#include "tests/neighbourhood/hostile_providers.hpp"

#include <chrono>
#include <cstdio>
#include <iostream>
#include <list>
#include <mutex>
#include <sstream>
#include <thread>

namespace photofinish::neighbourhood {
namespace {

// The pause between two runs of a client's script. Real hostile clients have their own processors. In the test they share two processors
// with the gateway.
constexpr std::chrono::milliseconds between{100};

class kind_run {
 public:
  explicit kind_run(const hostile_kind& kind) : kind_(kind) {}

  void start(const attack& during, std::vector<std::jthread>& threads) {
    for (std::size_t each = 0; each < kind_.clients; ++each) threads.emplace_back([this, &during] { repeat(during); });
  }

  void report() const {
    std::cout << "did " << done_ << ": " << kind_.name << '\n';
    if (wrong_ > 0) std::cout << "wrong " << wrong_ << ": " << kind_.name << ": " << first_wrong_ << '\n';
  }

 private:
  void repeat(const attack& during) {
    while (!during.is_over()) {
      try {
        kind_.once(during);
        ++done_;
      } catch (const broken_promise& wrong) {
        const std::lock_guard held(guard_);
        if (wrong_++ == 0) first_wrong_ = wrong.what();
      } catch (const std::exception&) {
        // The error is ignored, because the gateway may refuse or close a hostile client's connection.
      }
      std::this_thread::sleep_for(between);
    }
  }

  const hostile_kind& kind_;
  std::atomic<std::size_t> done_ = 0;
  std::mutex guard_;
  std::size_t wrong_ = 0;
  std::string first_wrong_;
};

void let_loose(const std::vector<hostile_kind>& kinds, const std::string& only, const attack& during) {
  std::list<kind_run> runs;
  {
    std::vector<std::jthread> threads;  // all threads are joined at the end of this block, before the results are reported
    for (const hostile_kind& kind : kinds)
      if (kind.name.find(only) != std::string::npos) runs.emplace_back(kind).start(during, threads);
  }
  for (const kind_run& each : runs) each.report();
  std::cout << "done" << std::endl;
}

int run() {
  std::list<testing::scripted_server> servers;
  for (hostile_provider& each : hostile_providers()) {
    const auto& server = servers.emplace_back(std::move(each.play));
    std::cout << "provider " << each.name << ' ' << server.port() << ' '
              << (each.version == spoken::http1 ? "http1" : "http2") << '\n';
  }
  std::cout << "ready" << std::endl;
  const std::vector<hostile_kind> kinds = hostile_kinds();
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::string verb, only;
    std::uint16_t port = 0;
    double seconds = 0;
    if (!(words >> verb >> port >> seconds) || verb != "attack") return std::fputs("attack PORT SECONDS [KIND]\n", stderr), 2;
    std::getline(words >> std::ws, only);
    const auto length = std::chrono::duration_cast<clock::duration>(std::chrono::duration<double>(seconds));
    let_loose(kinds, only, {port, clock::now() + length});
  }
  return 0;
}

}  // namespace
}  // namespace photofinish::neighbourhood

int main() { return photofinish::neighbourhood::run(); }
