// The well-behaved half of the neighbourhood test, as a process. Usage:
//   neighbourhood_residents provide
//     Runs a provider with a fixed pace. It prints `port N`, and ends when its input ends.
//   neighbourhood_residents measure PORT SECONDS USERS KEY [stream|raced|responses|messages|probe|word]...
//     Runs USERS clients of each kind for SECONDS, and fewer clients of the last four kinds. It prints a line for each answer:
//     - `KIND BEGAN ENDED FIRST TOTAL`, all in milliseconds, the first two on the machine's steady clock;
//     - `lost KIND: WHY` for an answer with an error;
//     - `kept BYTES` for the memory that the gateway keeps for an answer, because the client may refer to it.
//     If PORT is the provider's own port, the command measures the same pauses without a gateway.
#include "tests/support/gateway/scripted_provider.hpp"
#include "tests/support/gateway/test_client.hpp"

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <map>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace photofinish::neighbourhood {
namespace {

using testing::http_response;
using testing::test_client;
using testing::test_clock;
using std::chrono::milliseconds;

constexpr milliseconds ttft{20}, between{10}, think{50};
// The number of clients of the kind `word`. Because of their short pauses, they send about three hundred requests a minute.
constexpr std::size_t word_users = 3;
constexpr milliseconds word_think{2 * think};
const std::vector<std::string> words{"a ", "race ", "is ", "won ", "by ", "the ", "first ", "token ", "here", "."};

std::string joined() {
  std::string all;
  for (const std::string& word : words) all += word;
  return all;
}

double ms(test_clock::duration time) { return std::chrono::duration<double, std::milli>(time).count(); }

struct visit {
  std::uint16_t port;
  std::string key;
};

struct wrong_answer : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The times of one answer, in milliseconds.
struct sample {
  test_clock::time_point began, first, ended;
};

sample ask(test_client& client, const visit& at, const std::string& model) {
  const auto began = test_clock::now();
  client.post(R"({"model":")" + model + R"(","stream":true,"messages":[{"role":"user","content":"hi"}]})",
              "Authorization: Bearer " + at.key + "\r\n");
  const http_response got = client.read();
  if (got.status != 200) throw wrong_answer("status " + std::to_string(got.status) + " " + got.body.substr(0, 200));
  if (!got.is_complete) throw wrong_answer("cut short after " + std::to_string(got.body.size()) + " bytes");
  if (model != "word/m" && got.text() != joined()) throw wrong_answer("said '" + got.text().substr(0, 80) + "'");
  return {began, got.first_body_byte_at, test_clock::now()};
}

// Measures a stream of an API other than chat. `ending` is the name of the stream's last event. The gateway gets the answer from a chat
// provider, and translates it.
http_response converse(test_client& client, const visit& at, const std::string& path, const std::string& request,
                       std::string_view ending) {
  client.post(request, "Authorization: Bearer " + at.key + "\r\n", path);
  http_response got = client.read();
  if (got.status != 200) throw wrong_answer("status " + std::to_string(got.status) + " " + got.body.substr(0, 200));
  const bool is_whole = got.is_complete && got.body.find("event: " + std::string(ending) + "\n") != std::string::npos;
  if (!is_whole) throw wrong_answer("cut short after " + std::to_string(got.body.size()) + " bytes");
  return got;
}

// Returns the bytes of memory that the gateway keeps for the only item of a response (see item_store::cost_of()).
std::size_t kept_of(const std::string& body) {
  constexpr std::string_view list = R"("output":[)", behind = R"(],"instructions":)", id = R"("id":")";
  constexpr std::size_t owner = 32, beside = 256;
  const std::size_t begin = body.rfind(list) + list.size();
  const std::string_view item = std::string_view(body).substr(begin, body.find(behind, begin) - begin);
  if (item.find(joined()) == std::string_view::npos) throw wrong_answer("said '" + std::string(item.substr(0, 300)) + "'");
  const std::size_t name = item.find(id) + id.size();
  return item.size() + (item.find('"', name) - name) + owner + beside;
}

sample respond(test_client& client, const visit& at, const std::function<void(std::size_t)>& keep) {
  const auto began = test_clock::now();
  const http_response got = converse(client, at, "/v1/responses", R"({"model":"resident","stream":true,"input":"hi"})",
                                     "response.completed");
  const auto ended = test_clock::now();
  keep(kept_of(got.body));
  return {began, got.first_body_byte_at, ended};
}

sample message(test_client& client, const visit& at) {
  const auto began = test_clock::now();
  const http_response got = converse(
      client, at, "/v1/messages",
      R"({"model":"resident","stream":true,"max_tokens":99,"messages":[{"role":"user","content":"hi"}]})", "message_stop");
  if (got.body.find(words[0]) == std::string::npos || got.body.find(words[8]) == std::string::npos)
    throw wrong_answer("said '" + got.body.substr(0, 300) + "'");
  return {began, got.first_body_byte_at, test_clock::now()};
}

sample probe(test_client& client, const visit&) {
  const auto began = test_clock::now();
  client.get("/livez");
  const http_response got = client.read();
  if (got.status != 200) throw wrong_answer("status " + std::to_string(got.status));
  return {began, test_clock::now(), test_clock::now()};
}

using keep = std::function<void(std::size_t)>;
using script = std::function<sample(test_client&, const visit&, const keep&)>;

const std::map<std::string, script> scripts{
    {"stream", [](test_client& client, const visit& at, const keep&) { return ask(client, at, "resident"); }},
    {"raced", [](test_client& client, const visit& at, const keep&) { return ask(client, at, "raced"); }},
    {"responses", respond},
    {"messages", [](test_client& client, const visit& at, const keep&) { return message(client, at); }},
    {"probe", [](test_client& client, const visit& at, const keep&) { return probe(client, at); }},
    // Measures an answer that is sent after another answer with a very long word on the same connection.
    {"word",
     [](test_client& client, const visit& at, const keep&) {
       ask(client, at, "word/m");
       return ask(client, at, "resident");
     }},
};

class measurement {
 public:
  measurement(visit at, test_clock::time_point ends_at) : at_(std::move(at)), ends_at_(ends_at) {}

  void use(const std::string& kind, std::size_t index) {
    const script& play = scripts.at(kind);
    // The clients start at different times, so that they do not all send at the same time.
    std::this_thread::sleep_for(milliseconds(7 * index));
    std::optional<test_client> client;
    while (test_clock::now() < ends_at_) {
      try {
        if (!client) client.emplace(at_.port);
        note(kind, play(*client, at_, [this](std::size_t bytes) { note_kept(bytes); }));
      } catch (const std::exception& wrong) {
        client.reset();
        const std::lock_guard held(guard_);
        std::cout << "lost " << kind << ": " << wrong.what() << '\n';
      }
      std::this_thread::sleep_for(kind == "word" ? word_think : think);
    }
  }

 private:
  void note(const std::string& kind, const sample& took) {
    const std::lock_guard held(guard_);
    std::cout << kind << ' ' << ms(took.began.time_since_epoch()) << ' ' << ms(took.ended.time_since_epoch()) << ' '
              << ms(took.first - took.began) << ' ' << ms(took.ended - took.began) << '\n';
  }

  void note_kept(std::size_t bytes) {
    const std::lock_guard held(guard_);
    std::cout << "kept " << bytes << '\n';
  }

  const visit at_;
  const test_clock::time_point ends_at_;
  std::mutex guard_;
};

int measure(std::uint16_t port, double seconds, std::size_t users, const std::string& key,
            const std::vector<std::string>& kinds) {
  std::cout << std::fixed;
  const auto length = std::chrono::duration_cast<test_clock::duration>(std::chrono::duration<double>(seconds));
  measurement all({port, key}, test_clock::now() + length);
  std::vector<std::jthread> threads;
  for (const std::string& kind : kinds) {
    if (!scripts.contains(kind)) return std::fprintf(stderr, "no kind '%s'\n", kind.c_str()), 2;
    const bool is_translated = kind == "responses" || kind == "messages";
    const std::size_t most = kind == "word" ? word_users : is_translated ? (users + 1) / 2 : users;
    for (std::size_t index = 0; index < most; ++index) threads.emplace_back([&all, kind, index] { all.use(kind, index); });
  }
  return 0;
}

int provide() {
  const testing::scripted_provider provider(testing::streams(words, ttft, between));
  std::cout << "port " << provider.port() << std::endl;
  for (std::string line; std::getline(std::cin, line);) continue;
  return 0;
}

}  // namespace
}  // namespace photofinish::neighbourhood

int main(int count, char** given) {
  using namespace photofinish::neighbourhood;
  const std::vector<std::string> arguments(given + 1, given + count);
  if (arguments == std::vector<std::string>{"provide"}) return provide();
  if (arguments.size() < 6 || arguments[0] != "measure") return std::fputs("provide | measure PORT SECONDS USERS KEY KIND...\n", stderr), 2;
  return measure(static_cast<std::uint16_t>(std::stoul(arguments[1])), std::stod(arguments[2]), std::stoul(arguments[3]), arguments[4],
                 {arguments.begin() + 5, arguments.end()});
}
