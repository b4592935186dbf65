// Tests recorded answers of Anthropic for clients of the Messages API. No content may be lost, wherever the bytes are split. Clients of
// other APIs must get the content that a simple reader finds. The tests run only if PHOTOFINISH_RECORDINGS names a folder of recordings.
#include "gateway/api/messages/passed_messages.hpp"
#include "proxy/dialects/anthropic/message_stream.hpp"
#include "proxy/dialects/sse_parser.hpp"
#include "tests/support/streams/cassettes.hpp"
#include "tests/support/streams/recordings.hpp"
#include "tests/support/streams/stream_player.hpp"
#include "tests/unit/gateway/api/answer_driver.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

namespace photofinish::gateway {
namespace {

using namespace testing;
namespace fs = std::filesystem;

// The content of an answer. Both the product's reader and the simple reader fill this type.
struct reading {
  std::string text, thoughts, signatures, hidden, stop;
  std::vector<std::string> calls;
  std::vector<json> arguments;
  std::uint64_t input = 0, cached = 0, written = 0, output = 0;
  bool operator==(const reading&) const = default;
};

std::ostream& operator<<(std::ostream& out, const reading& each) {
  out << "text " << each.text.size() << " thoughts " << each.thoughts.size() << " signatures " << each.signatures.size();
  out << " hidden " << each.hidden.size() << " stop " << each.stop << " tokens " << each.input << "/" << each.cached << "/";
  out << each.written << "/" << each.output;
  for (std::size_t at = 0; at < each.calls.size(); ++at) out << " " << each.calls[at] << each.arguments[at];
  return out;
}

// Reads the events block by block, with very simple code.
class plain_reader {
 public:
  void add(const json& event) {
    const std::string type = event.value("type", "");
    if (type == "message_start") {
      if (!message_.is_null()) return;
      message_ = event.at("message");
      add_usage(message_.value("usage", json::object()));
    } else if (type == "content_block_start") {
      blocks_[event.at("index")] = event.at("content_block");
    } else if (type == "content_block_delta") {
      add_delta(blocks_[event.at("index")], parts_[event.at("index")], event.at("delta"));
    } else if (type == "message_delta") {
      for (const auto& [key, value] : event.items()) {
        if (key == "delta")
          for (const auto& [inner, what] : value.items()) message_[inner] = what;
        else if (key != "type" && key != "usage") message_[key] = value;
      }
      add_usage(event.value("usage", json::object()));
    }
  }

  json message() {
    json all = message_;
    for (auto& [index, block] : blocks_) {
      if (parts_.contains(index) && json::accept(parts_[index])) block["input"] = json::parse(parts_[index]);
      all["content"].push_back(block);
    }
    for (const auto& [key, value] : usage_.items())
      if (!value.is_null()) all["usage"][key] = value;
    return all;
  }

  static reading read(const json& message) {
    reading got;
    for (const json& block : message.at("content")) {
      const std::string type = block.at("type");
      if (type == "text") got.text += block.at("text");
      if (type == "thinking") got.thoughts += block.at("thinking"), got.signatures += block.value("signature", "");
      if (type == "redacted_thinking") got.hidden += block.at("data");
      if (type == "tool_use") got.calls.push_back(block.at("name")), got.arguments.push_back(block.at("input"));
    }
    if (message.contains("stop_reason") && message["stop_reason"].is_string()) got.stop = message["stop_reason"];
    const json usage = message.value("usage", json::object());
    // Anthropic bills each iteration of an answer, but the totals outside of the list of iterations leave out some iterations.
    const auto count = [&usage](const char* key) {
      const auto count_in = [key](const json& of) {
        return of.contains(key) && of[key].is_number() ? of[key].get<std::uint64_t>() : std::uint64_t{0};
      };
      std::uint64_t sum = 0;
      const json iterations = usage.value("iterations", json());
      for (const json& each : iterations.is_array() ? iterations : json::array()) sum += count_in(each);
      return std::max(sum, count_in(usage));
    };
    got.cached = count("cache_read_input_tokens");
    got.written = count("cache_creation_input_tokens");
    got.input = count("input_tokens") + got.cached + got.written;
    got.output = count("output_tokens");
    return got;
  }

 private:
  static void append(json& block, const char* key, const json& text) {
    block[key] = block.value(key, "") + text.get<std::string>();
  }

  static void add_delta(json& block, std::string& input, const json& delta) {
    const std::string type = delta.at("type");
    if (type == "text_delta") append(block, "text", delta.at("text"));
    else if (type == "thinking_delta") append(block, "thinking", delta.at("thinking"));
    else if (type == "signature_delta") block["signature"] = delta.at("signature");
    else if (type == "input_json_delta") input += delta.at("partial_json");
    else if (type == "citations_delta") {
      if (!block["citations"].is_array()) block["citations"] = json::array();
      block["citations"].push_back(delta.at("citation"));
    } else {
      for (const auto& [key, value] : delta.items())
        if (key != "type") block[key] = value;
    }
  }

  void add_usage(const json& usage) {
    for (const auto& [key, value] : usage.items()) {
      const bool is_less = value.is_number() && usage_.contains(key) && usage_[key].is_number() && usage_[key] > value;
      if (!value.is_null() && !is_less) usage_[key] = value;
    }
  }

  json message_, usage_ = json::object();
  std::map<int, json> blocks_;
  std::map<int, std::string> parts_;
};

// Reads the provider's deltas, and writes both the streamed and the non-streamed answer for Messages clients.
class relayed_answer {
 public:
  void take(const proxy::result<std::span<const proxy::stream_event>>& given) {
    if (!given) {
      failure = given.error();
      return;
    }
    for (const proxy::stream_event& event : *given) {
      for (const proxy::delta& each : event.deltas) note(each);
      if (event.usage != nullptr) usage = *event.usage;
      if (event.kind == proxy::event_kind::end) {
        streamed.end(), whole.end(), is_over = true;
      } else {
        streamed.add(event), whole.add(event);
      }
    }
  }

  reading read() const {
    reading got = said_;
    for (const std::string& each : arguments_)
      got.arguments.push_back(json::accept(each) ? json::parse(each) : json::object());
    got.input = usage.input_tokens;
    got.cached = usage.cached_input_tokens;
    got.written = usage.written_input_tokens;
    got.output = usage.output_tokens;
    return got;
  }

  std::optional<proxy::failure> failure;
  bool is_over = false;
  proxy::token_usage usage;
  passed_message_stream stream_writer;
  passed_whole_message whole_writer;
  answer_driver streamed{stream_writer}, whole{whole_writer};

 private:
  void note(const proxy::delta& each) {
    switch (each.kind) {
      case delta_kind::text: said_.text += each.text; return;
      case delta_kind::reasoning: said_.thoughts += each.text; return;
      case delta_kind::signature: said_.signatures += each.text; return;
      case delta_kind::opaque: said_.hidden += each.text; return;
      case delta_kind::finish: said_.stop = each.text; return;
      case delta_kind::call:
        said_.calls.emplace_back(each.text);
        arguments_.resize(static_cast<std::size_t>(each.part) + 1);
        return;
      case delta_kind::call_arguments: arguments_.at(static_cast<std::size_t>(each.part)) += each.text; return;
      default: return;
    }
  }

  reading said_;
  std::vector<std::string> arguments_;
};

void play(std::string_view bytes, const std::vector<std::size_t>& cuts, relayed_answer& to) {
  proxy::message_stream stream(nullptr);
  proxy::sse_parser parser;
  std::size_t from = 0;
  const auto feed = [&](std::size_t until) {
    const test::padded_bytes fed(bytes.substr(from, until - from));
    parser.feed(fed.view());
    while (const auto event = parser.next())
      if (!to.failure) to.take(stream.on_event(*event, {}));
    from = until;
  };
  for (const std::size_t cut : cuts) feed(cut);
  feed(bytes.size());
  if (!to.failure && !to.is_over) to.take(stream.on_body_end(parser.unfinished_data(), {}));
}

std::string events_of(const std::vector<std::string>& lines) {
  std::string bytes;
  for (const std::string& line : lines) bytes += "event: " + json::parse(line).value("type", "") + "\ndata: " + line + "\n\n";
  return bytes;
}

// Returns the data of the client's events. Drops every message_start except the first.
std::vector<json> data_of(const std::string& bytes) {
  std::vector<json> all;
  for (const read_event& each : read_named_events(bytes)) {
    EXPECT_EQ(each.data.value("type", ""), each.type);
    if (all.empty() || each.type != "message_start") all.push_back(each.data);
  }
  return all;
}

void expect_nothing_lost(const std::string& bytes) {
  relayed_answer whole;
  play(bytes, {}, whole);
  ASSERT_FALSE(whole.failure) << whole.failure->detail;
  plain_reader plain;
  for (const read_event& each : read_named_events(bytes)) plain.add(each.data);
  const json message = plain.message();
  EXPECT_EQ(whole.read(), plain_reader::read(message));
  EXPECT_EQ(data_of(whole.streamed.bytes()), data_of(bytes));
  EXPECT_EQ(whole.whole.whole(), message);
  std::vector<std::size_t> each_byte;
  for (std::size_t at = 1; at < bytes.size(); ++at) each_byte.push_back(at);
  relayed_answer slow;
  play(bytes, each_byte, slow);
  EXPECT_EQ(slow.streamed.bytes(), whole.streamed.bytes());
  for (const std::size_t cut : test::cuts_of(bytes, "event: ")) {
    relayed_answer again;
    play(bytes, {cut}, again);
    ASSERT_EQ(again.streamed.bytes(), whole.streamed.bytes()) << cut;
  }
}

void expect_same_message(const std::string& body) {
  relayed_answer to;
  proxy::message_stream stream(nullptr);
  ASSERT_TRUE(stream.on_whole(body));
  while (!to.is_over && !to.failure) to.take(stream.next_of_whole({}));
  ASSERT_FALSE(to.failure) << to.failure->detail;
  EXPECT_EQ(to.read(), plain_reader::read(json::parse(body)));
  EXPECT_EQ(to.whole.whole(), json::parse(body));
}

std::vector<std::string> lines_of(const fs::path& path) {
  std::vector<std::string> lines;
  std::istringstream text(test::recorded_text(path));
  for (std::string line; std::getline(text, line);)
    if (!line.empty()) lines.push_back(line);
  return lines;
}

// Splits a recording into its answers. Some recordings contain the answers to several requests.
std::vector<std::vector<std::string>> answers_of(const fs::path& path) {
  std::vector<std::vector<std::string>> answers(1);
  for (const std::string& line : lines_of(path)) {
    answers.back().push_back(line);
    if (json::parse(line).value("type", "") == "message_stop") answers.emplace_back();
  }
  if (answers.back().empty()) answers.pop_back();
  return answers;
}

TEST(MessageRecordings, StreamsComeOutWholeHoweverTheyAreCut) {
  const auto folder = test::recordings();
  if (!folder) GTEST_SKIP() << test::no_recordings;
  std::size_t played = 0;
  for (const auto& entry : fs::directory_iterator(*folder / "ai" / "anthropic")) {
    const std::string name = entry.path().filename().string();
    if (!name.ends_with(".chunks.txt") || name.starts_with("spliced")) continue;
    SCOPED_TRACE(name);
    for (const std::vector<std::string>& answer : answers_of(entry.path())) expect_nothing_lost(events_of(answer));
    ++played;
  }
  EXPECT_GT(played, 20u);
}

TEST(MessageRecordings, AMessageInTheMiddleOfAnotherIsAFailure) {
  const auto folder = test::recordings();
  if (!folder) GTEST_SKIP() << test::no_recordings;
  relayed_answer to;
  play(events_of(lines_of(*folder / "ai" / "anthropic" / "spliced-message-start.chunks.txt")), {}, to);
  EXPECT_TRUE(to.failure);
}

TEST(MessageRecordings, WholeAnswersComeOutAsTheyWere) {
  const auto folder = test::recordings();
  if (!folder) GTEST_SKIP() << test::no_recordings;
  std::size_t played = 0;
  for (const auto& entry : fs::directory_iterator(*folder / "ai" / "anthropic")) {
    const std::string name = entry.path().filename().string();
    if (!name.ends_with(".json") || name.starts_with("skills")) continue;
    SCOPED_TRACE(name);
    expect_same_message(test::recorded_text(entry.path()));
    ++played;
  }
  EXPECT_GT(played, 15u);
}

// The recordings were made at Anthropic (/v1/messages) and through Bedrock (/invoke).
TEST(MessageRecordings, HttpBodiesAreReadAsTheyAre) {
  if (!test::recordings()) GTEST_SKIP() << test::no_recordings;
  std::size_t streams = 0, wholes = 0;
  for (const char* path : {"/v1/messages", "/invoke"})
    for (const test::recorded_exchange& each : test::recorded_exchanges(path)) {
      SCOPED_TRACE(each.cassette);
      if (each.is_stream) expect_nothing_lost(each.bytes), ++streams;
      else expect_same_message(each.bytes), ++wholes;
    }
  EXPECT_GT(streams, 5u);
  EXPECT_GT(wholes, 80u);
}

}  // namespace
}  // namespace photofinish::gateway
