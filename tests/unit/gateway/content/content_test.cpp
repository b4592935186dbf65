// Tests the content log: which parts of a request it contains, the format of a line, the files, and what happens if the files cannot be
// written.
#include "gateway/content/content_entry.hpp"
#include "gateway/content/content_files.hpp"
#include "gateway/content/content_line.hpp"
#include "gateway/content/content_trail.hpp"
#include "gateway/housekeeping/content_keeping.hpp"
#include "tests/support/control_characters.hpp"
#include "tests/support/full_disk.hpp"
#include "tests/support/manual_alarms.hpp"
#include "tests/support/patience.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <sys/stat.h>
#include <unistd.h>

namespace photofinish::gateway {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using proxy::delta;
using proxy::delta_kind;

const log_time noon = std::chrono::sys_days(std::chrono::year(2026) / 11 / 25) + 12h + 7ms;

content_entry entry_of(std::string request = "{}", std::size_t max_line = 1u << 20) {
  content_entry made;
  made.received_at = noon;
  made.max_line = max_line;
  made.id = "req_1";
  made.route = "fast";
  made.status = 200;
  made.answer = kept_answer(max_line, {});
  keep_request(made, request);
  return made;
}

void say(content_entry& entry, const std::vector<delta>& said) {
  proxy::stream_event event;
  event.spoken = proxy::wire_format::openai_chat;
  event.deltas = said;
  entry.answer.see(event);
}

delta text(std::string_view words, std::int64_t choice = 0) { return {.choice = choice, .text = words}; }

TEST(KeptAnswer, JoinsWhatBelongsTogether) {
  content_entry entry = entry_of();
  say(entry, {{.kind = delta_kind::reasoning, .text = "hm"}});
  say(entry, {text("Hel")});
  say(entry, {text("lo"), text("Other", 1), text("!", 1)});
  say(entry, {{.kind = delta_kind::call, .text = "find", .id = "c1"}, {.kind = delta_kind::call_arguments, .text = "{\"a\""}});
  say(entry, {{.kind = delta_kind::call_arguments, .text = ":1}"}, {.kind = delta_kind::call, .text = "find", .id = "c2"}});
  say(entry, {{.kind = delta_kind::signature, .text = "c2lnbmVk"}, {.kind = delta_kind::finish}});
  const json line = json::parse(content_line(entry));
  EXPECT_EQ(line.at("answer"),
            json::parse(R"([{"kind":"reasoning","text":"hm"},{"kind":"text","text":"Hello"},
                            {"kind":"text","choice":1,"text":"Other!"},{"kind":"call","text":"find"},
                            {"kind":"arguments","text":"{\"a\":1}"},{"kind":"call","text":"find"},
                            {"kind":"finish","text":"stop"}])"));
  EXPECT_FALSE(line.contains("answer_truncated"));
  entry.answer.restart();
  say(entry, {text("Anew")});
  EXPECT_EQ(json::parse(content_line(entry)).at("answer"), json::parse(R"([{"kind":"text","text":"Anew"}])"));
}

TEST(KeptAnswer, KeepsTheJsonOfOtherApisAndNoSound) {
  const std::array<std::string_view, 2> pieces{R"({"data":)", "[]}"};
  proxy::stream_event event{.spoken = proxy::wire_format::openai_embeddings, .json = pieces};
  content_entry entry = entry_of();
  entry.answer.see(event);
  EXPECT_EQ(json::parse(content_line(entry)).at("answer"), json::parse(R"([{"kind":"json","text":"{\"data\":[]}"}])"));
  content_entry sound = entry_of();
  event.spoken = proxy::wire_format::openai_speech;
  sound.answer.see(event);
  const json line = json::parse(content_line(sound));
  EXPECT_EQ(line.at("answer"), json::array());
  EXPECT_EQ(line.at("answer_bytes"), 11);
  content_entry role = entry_of();
  event.spoken = proxy::wire_format::openai_chat;
  role.answer.see(event);
  EXPECT_EQ(json::parse(content_line(role)).at("answer_bytes"), 0) << "an event without deltas says nothing";
}

TEST(KeptAnswer, IsBoundedByItsLengthAndByMemory) {
  content_entry entry = entry_of("{}", 4096);
  const std::string flood(1000, 'x');
  for (int each = 0; each < 1000; ++each) say(entry, {text(flood)});
  EXPECT_LE(entry.held_bytes(), 4096u + 4096u + sizeof(content_entry));
  EXPECT_TRUE(entry.answer.is_cut());
  EXPECT_EQ(entry.answer.bytes(), 1'000'000u);
  for (int each = 0; each < 100'000; ++each) say(entry, {text("a", each)});
  EXPECT_LE(entry.answer.parts().size(), 100u);

  proxy::memory_budget small(256u << 10);
  const tests::manual_alarms still;
  {
    kept_answer answer(64u << 20, proxy::memory_share(small, 1, still));
    const std::string large(16u << 10, 'y');
    const std::vector<delta> said{text(large)};
    for (int each = 0; each < 64; ++each) answer.see({.spoken = proxy::wire_format::openai_chat, .deltas = said});
    EXPECT_TRUE(answer.is_cut());
    EXPECT_LE(answer.held_bytes(), 256u << 10);
    EXPECT_GT(small.used(), 0u);
  }
  EXPECT_EQ(small.used(), 0u);
}

TEST(ContentLine, HasNoKeyHoweverItIsCut) {
  const std::string of_config = "sk-Configured-0123456789", of_caller = "gsk_Caller-0123456789abcdef";
  const std::array secrets{proxy::secret(of_config)};
  for (std::size_t ahead = 0; ahead < 60; ++ahead) {
    content_entry entry = entry_of({}, 4096);
    entry.redacts = std::make_shared<const proxy::redactor>(secrets);
    entry.keys = {proxy::secret(of_caller)};
    std::string body = "{\"a\":\"" + std::string(4050 + ahead, '"') + of_caller;
    keep_request(entry, body);
    const std::string own = "my key is " + of_config + " and " + of_caller;
    say(entry, {text(own.substr(0, 15))});
    say(entry, {text(own.substr(15))});
    const std::string line = content_line(entry);
    for (const std::string& key : {of_config, of_caller})
      EXPECT_EQ(line.find(key.substr(0, 8)), std::string::npos) << ahead << ": " << line;
    EXPECT_NE(line.find("[redacted]"), std::string::npos);
    EXPECT_TRUE(json::accept(line));
  }
}

TEST(ContentLine, IsOneValidLineOfAtMostItsLength) {
  std::mt19937 random(7);
  std::uniform_int_distribution<int> byte(0, 255), length(0, 20'000);
  for (int round = 0; round < 300; ++round) {
    const std::size_t most = round % 2 == 0 ? 4096 : 20'000;
    std::string bytes;
    for (int left = length(random); left > 0; --left) bytes += static_cast<char>(byte(random));
    content_entry entry = entry_of(bytes, most);
    for (std::string* name : {&entry.id, &entry.client, &entry.team, &entry.model, &entry.winner, &entry.code}) *name = bytes;
    say(entry, {text(bytes), text(bytes, 1), {.kind = delta_kind::call, .text = bytes}});
    const std::string line = content_line(entry);
    EXPECT_LE(line.size(), most);
    EXPECT_EQ(line.find('\n'), line.size() - 1);
    EXPECT_TRUE(json::accept(line)) << line;
  }
}

TEST(ContentLine, HoldsNoCharacterThatATerminalObeys) {
  const std::string words = testing::all_control_characters();
  content_entry entry = entry_of(words);
  entry.model = words;
  say(entry, {text(words)});
  const std::string line = content_line(entry);
  EXPECT_FALSE(testing::holds_control_character(line)) << line;
  const json read = json::parse(line);
  EXPECT_EQ(read.at("request"), words) << "JSON escapes them, so none is lost";
  EXPECT_EQ(read.at("model"), words);
  EXPECT_EQ(read.at("answer").at(0).at("text"), words);
}

TEST(ContentLine, SaysWhatIsMissing) {
  content_entry entry = entry_of(std::string(10'000, 'r'), 4096);
  say(entry, {text(std::string(10'000, 'a'))});
  const json line = json::parse(content_line(entry));
  EXPECT_EQ(line.at("request_bytes"), 10'000);
  EXPECT_EQ(line.at("answer_bytes"), 10'000);
  EXPECT_EQ(line.at("request_truncated"), true);
  EXPECT_EQ(line.at("answer_truncated"), true);
  EXPECT_GT(line.at("request").get<std::string>().size(), 1'000u);
  EXPECT_GT(line.at("answer").at(0).at("text").get<std::string>().size(), 1'000u);
  EXPECT_EQ(line.at("time"), "2026-11-25T12:00:00.007Z");
}

TEST(ContentFiles, AreNamedByTheirDay) {
  const auto day = std::chrono::sys_days(std::chrono::year(2026) / 2 / 3);
  EXPECT_EQ(day_file("/var/log/content.jsonl", day), "/var/log/content-2026-02-03.jsonl");
  EXPECT_EQ(day_file("/var.d/content", day), "/var.d/content-2026-02-03");
  EXPECT_EQ(day_file("/.content", day), "/.content-2026-02-03");
}

TEST(ContentFiles, AreDeletedOnceTheirRetentionIsOverAndNoOthersAre) {
  const std::vector<std::string> names{
      "content-2026-11-25.jsonl", "content-2026-11-24.jsonl", "content-2026-11-23.jsonl", "content-2025-01-01.jsonl",
      "content-2026-13-01.jsonl", "content-2026-11-2x.jsonl", "content-2026-11-01.jsonl.gz", "content.jsonl",
      "audit-2020-01-01.jsonl", "content_2020-01-01.jsonl", "content-x2020-01-01.jsonl", ""};
  const auto expired = [&](std::chrono::milliseconds retention, log_time now) {
    return expired_files("/var/log/content.jsonl", names, retention, now);
  };
  using list = std::vector<std::string>;
  EXPECT_EQ(expired(24h, noon), (list{"content-2026-11-23.jsonl", "content-2025-01-01.jsonl"}));
  EXPECT_EQ(expired(12h, noon), (list{"content-2026-11-24.jsonl", "content-2026-11-23.jsonl", "content-2025-01-01.jsonl"}));
  EXPECT_EQ(expired(13h, noon), (list{"content-2026-11-23.jsonl", "content-2025-01-01.jsonl"}));
  EXPECT_EQ(expired(720h, noon), (list{"content-2025-01-01.jsonl"}));
}

class ContentTrail : public ::testing::Test {
 protected:
  ContentTrail() : folder_(std::filesystem::temp_directory_path() / ("content-" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(folder_);
    settings_.file = folder_ / "content.jsonl";
    settings_.routes = {"fast"};
  }
  ~ContentTrail() override { std::filesystem::remove_all(folder_); }

  template <class Condition>
  static bool becomes(const Condition& condition) {
    for (const auto end = std::chrono::steady_clock::now() + testing::patience; std::chrono::steady_clock::now() < end;
         std::this_thread::sleep_for(2ms))
      if (condition()) return true;
    return false;
  }
  std::vector<json> lines(const std::string& name) const {
    std::ifstream from(folder_ / name);
    std::vector<json> all;
    for (std::string line; std::getline(from, line);)
      if (json::accept(line)) all.push_back(json::parse(line));
    return all;
  }
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& each : std::filesystem::directory_iterator(folder_)) names.push_back(each.path().filename());
    std::sort(names.begin(), names.end());
    return names;
  }
  static std::shared_ptr<content_entry> entry() { return std::make_shared<content_entry>(entry_of()); }
  bool has_written(std::uint64_t count) { return becomes([&] { return trail_.written() == count; }); }

  const std::filesystem::path folder_;
  content_log_settings settings_;
  content_trail trail_;
};

TEST_F(ContentTrail, WritesAFileADayAndDeletesTheOldest) {
  settings_.retention = 24h;
  trail_.adopt(settings_, noon);
  std::ofstream(folder_ / "content-notes.txt") << "mine";
  for (int day = 0; day < 5; ++day) {
    trail_.add(entry(), noon + day * 24h);
    trail_.tend(noon + day * 24h);
  }
  ASSERT_TRUE(has_written(5));
  const std::vector<std::string> kept{"content-2026-11-28.jsonl", "content-2026-11-29.jsonl", "content-notes.txt"};
  EXPECT_TRUE(becomes([&] { return files() == kept; }));
  struct stat made{};
  ASSERT_EQ(::stat((folder_ / "content-2026-11-29.jsonl").c_str(), &made), 0);
  EXPECT_EQ(made.st_mode & 0037, 0u) << "the group reads, others do not";
}

// A worker may switch to a new configuration earlier than the housekeeper. Entries that wait to be written at that moment must not be lost.
TEST_F(ContentTrail, WhatWaitsForTheConfigurationThatItBeganUnderIsWritten) {
  boost::asio::io_context loop;
  content_keeping keeping(loop, 1);
  const auto has_lines = [&](std::size_t count) {
    return becomes([&] { return files().size() == 1 && lines(files()[0]).size() == count; });
  };
  keeping.note(0, std::make_unique<content_entry>(entry_of()));
  keeping.adopt(settings_, noon);
  keeping.drain(noon);
  EXPECT_TRUE(has_lines(1));
  keeping.note(0, std::make_unique<content_entry>(entry_of()));
  keeping.adopt(content_log_settings(), noon);
  EXPECT_TRUE(has_lines(2)) << "under the one that kept it";
  keeping.note(0, std::make_unique<content_entry>(entry_of()));
  keeping.drain(noon);
  EXPECT_EQ(keeping.dropped(), 1u);
}

TEST_F(ContentTrail, FollowsItsConfiguration) {
  trail_.adopt(content_log_settings(), noon);
  trail_.add(entry(), noon);
  EXPECT_EQ(trail_.dropped(), 1u) << "there is no content log any more";
  trail_.adopt(settings_, noon);
  trail_.add(entry(), noon);
  content_log_settings moved = settings_;
  moved.file = folder_ / "other.jsonl";
  ASSERT_TRUE(has_written(1));
  trail_.adopt(moved, noon);
  trail_.add(entry(), noon);
  ASSERT_TRUE(has_written(2));
  trail_.adopt(content_log_settings(), noon);
  EXPECT_EQ(trail_.written(), 2u);
  EXPECT_EQ(files(), (std::vector<std::string>{"content-2026-11-25.jsonl", "other-2026-11-25.jsonl"}));
}

TEST_F(ContentTrail, AFullDiskCostsLinesAndIsCounted) {
  trail_.adopt(settings_, noon);
  {
    testing::full_disk full(10);
    trail_.add(entry(), noon);
    ASSERT_TRUE(becomes([&] { return trail_.dropped() == 1; }));
    trail_.tend(noon);
    full.lift();
  }
  trail_.add(entry(), noon);
  ASSERT_TRUE(has_written(1));
  EXPECT_EQ(lines("content-2026-11-25.jsonl").size(), 1u) << "what was cut has an end in front of the next";
}

TEST_F(ContentTrail, APipeIsNotOpened) {
  ASSERT_EQ(::mkfifo((folder_ / "content-2026-11-25.jsonl").c_str(), 0600), 0);
  trail_.adopt(settings_, noon);
  trail_.add(entry(), noon);
  EXPECT_TRUE(becomes([&] { return trail_.dropped() == 1; })) << "to open a pipe could wait for ever";
}

TEST_F(ContentTrail, ALinkIsNotFollowed) {
  const std::filesystem::path other = folder_ / "other";
  std::filesystem::create_symlink(other, folder_ / "content-2026-11-25.jsonl");
  trail_.adopt(settings_, noon);
  trail_.add(entry(), noon);
  ASSERT_TRUE(becomes([&] { return trail_.dropped() + trail_.written() == 1; }));
  EXPECT_EQ(trail_.dropped(), 1u);
  EXPECT_FALSE(std::filesystem::exists(other));
}

TEST_F(ContentTrail, NoMoreWaitsThanItsBoundAndItsMemoryIsGivenBack) {
  struct gate {
    std::mutex mutex;
    std::condition_variable changed;
    bool is_open = false;
  };
  const auto hung = std::make_shared<gate>();
  proxy::memory_budget memory(64u << 20);
  const tests::manual_alarms still;
  {
    line_writer writer(1u << 20);
    writer.append({folder_ / "x", [hung] {
      std::unique_lock lock(hung->mutex);
      hung->changed.wait(lock, [&] { return hung->is_open; });
      return std::string();
    }, 10});
    for (int each = 0; each < 64; ++each) {
      proxy::memory_share share(memory, 1, still);
      ASSERT_TRUE(share.grow_to(64u << 10, proxy::memory_use::running));
      line_writer::piece piece{folder_ / "x", [] { return std::string("1\n"); }, 64u << 10};
      piece.held = std::move(share);
      writer.append(std::move(piece));
    }
    EXPECT_EQ(writer.so_far().dropped, 49u) << "fifteen fit beside the one that hangs";
    EXPECT_EQ(memory.used(), 15u * (64u << 10));
  }  // although the writing thread still hangs, the log's destructor returns after at most two seconds
  EXPECT_EQ(memory.used(), 0u);
  const std::lock_guard lock(hung->mutex);
  hung->is_open = true;
  hung->changed.notify_all();
}

}  // namespace
}  // namespace photofinish::gateway
